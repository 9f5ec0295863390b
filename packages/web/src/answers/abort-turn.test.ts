import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedError } from '../words/failures.ts';
import { abortTurn } from './abort-turn.ts';

test('[WB84] an answer that ends by itself while it is stopped is no failure; anything else is', async () => {
  const refusing = (refused: RefusedError) => ({ ask: () => Promise.reject(refused) });
  const ended = refusing(new RefusedError({ reason: 'turn-ended', turn: 'turn-1', end: 'done' }));
  assert.deepEqual(await abortTurn(ended, 'root-1', 'turn-1'), []);
  const missing = new RefusedError({ reason: 'turn-not-found', turn: 'turn-1' });
  await assert.rejects(abortTurn(refusing(missing), 'root-1', 'turn-1'), missing);
});
