import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryStep } from '../history/history-steps.ts';
import { openChanges } from './kept-changes.ts';

const step = (version: number, agent: string, edit?: HistoryStep['edit']): HistoryStep => ({
  agent,
  version,
  versions: [],
  time: '',
  inserted: 1,
  deleted: 0,
  isSilent: false,
  ...(edit === undefined ? {} : { edit }),
});

test('[WB642] changes of others wait for the reader until they are accepted; what cannot be taken back does not', () => {
  const steps = [
    step(1, 'claude'),
    step(2, 'claude', 'done'),
    step(3, 'ann', 'done'),
    step(4, 'jo', 'undone'),
    step(5, 'claude', 'fixed'),
    step(6, 'claude', 'done'),
  ];
  const open = (upTo: number, ...versions: number[]): number[] =>
    openChanges(steps, 'ann', { upTo, versions }).map(({ version }) => version);
  assert.deepEqual(open(0), [2, 4, 6]);
  assert.deepEqual(open(0, 4), [2, 6]);
  assert.deepEqual(open(4), [6]);
  assert.deepEqual(open(6), []);
});
