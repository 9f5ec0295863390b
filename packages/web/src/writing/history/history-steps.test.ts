import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Version } from './history-reading.ts';
import { historySteps } from './history-steps.ts';

function version(number: number, agent: string, second: number, more: Partial<Version> = {}): Version {
  return {
    version: number,
    seq: number,
    time: new Date(second * 1000).toISOString(),
    agent,
    what: ['text'],
    status: 'done',
    inserted: 2,
    deleted: 1,
    edit: 'done',
    ...more,
  };
}

test('[WB630] what one agent types in one go is one step, and so is a stream', () => {
  const { edit: _none, ...streamed } = version(1, 'claude', 1, { what: ['added'], turn: 't', status: 'running' });
  const { edit: _none2, ...more } = version(2, 'claude', 1, { turn: 't', deleted: 0 });
  const steps = historySteps([
    streamed,
    more,
    version(3, 'jo', 60),
    version(4, 'jo', 61),
    version(5, 'ann', 61),
    version(6, 'jo', 62),
    version(7, 'jo', 90),
    version(8, 'jo', 91, { edit: 'undone' }),
  ]);
  assert.deepEqual(
    steps.map(({ agent, version: last, inserted, versions }) => [agent, last, inserted, versions.length]),
    [
      ['claude', 2, 4, 1],
      ['jo', 4, 4, 2],
      ['ann', 5, 2, 1],
      ['jo', 6, 2, 1],
      ['jo', 7, 2, 1],
      ['jo', 8, 2, 1],
    ],
  );
});

test('[WB630] a version that changes no text is no step', () => {
  const { edit: _none, ...ended } = version(2, 'claude', 2, { what: ['status'], inserted: 0, deleted: 0 });
  const { edit: _none2, ...begun } = version(1, 'claude', 1, { what: ['added'] });
  assert.deepEqual(
    historySteps([begun, ended, version(3, 'jo', 3)]).map((step) => step.version),
    [1, 3],
  );
});

test('[WB630] each edit of a model is a step, however soon the next one comes', () => {
  const model = 'anthropic:claude-opus-4-8';
  assert.deepEqual(
    historySteps([version(2, model, 1), version(3, model, 1), version(4, 'jo', 2), version(5, model, 2)]).map(
      (step) => step.version,
    ),
    [2, 3, 4, 5],
  );
});
