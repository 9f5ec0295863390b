import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../change.ts';
import type { RootOp } from '../op.ts';
import { RootState } from '../state/root-state.ts';
import { EchoSearch } from './echo-search.ts';

const key = 'sk-0123456789abcdef';

/** A turn with a key in its settings, by a process that runs turns of several conversations. */
function turnOf(root: string, settings: Record<string, string>): Change<RootOp> {
  const told = [{ name: 'ask', description: 'Asks the person a question and waits.', parameters: {} }];
  const turn = {
    turn: 'turn-1',
    node: `${root}/node-1`,
    provider: 'demo',
    model: 'demo',
    tools: [],
    max_rounds: 1,
    told,
  };
  const ops: RootOp[] = [{ type: 'turn-started', ...turn, settings, holder: 'loom-4711-01m7ka8p9k469zr66ga219hh8e' }];
  return { seq: 1, time: 1, agent: 'person', request: 'r', ops };
}

test('[PU10] the process that ran a turn and the tools that it was told of are no words of a conversation, its settings are', () => {
  const search = new EchoSearch(new Set());
  const gone = turnOf('root-1', { key });
  search.addGone([gone], [{ ...gone, ops: [] }]);
  assert.deepEqual(search.find(new RootState('root-2'), [turnOf('root-2', {})]), []);
  const echoes = search.find(new RootState('root-2'), [turnOf('root-2', { key })]);
  assert.deepEqual(echoes, [{ root: 'root-2', isEarlier: false, words: key }]);
});
