import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whoIsHere } from './here.ts';

const turn = { turn: 't', node: 'n', provider: 'anthropic', model: 'claude' };

test('[WB627] those who are here are the reader, others, and models that answer; one who is alone sees nobody', () => {
  assert.deepEqual(whoIsHere({ here: ['ann'], root: { turns: [] } }, 'ann'), []);
  assert.deepEqual(
    whoIsHere({ here: ['ann', 'jo', 'anthropic:claude'], root: { turns: [turn, turn] } }, 'ann').map(
      ({ name, color, isWriting }) => [name, color, isWriting],
    ),
    [
      ['You', 1, false],
      ['jo', 2, false],
      ['claude', 3, true],
    ],
  );
});
