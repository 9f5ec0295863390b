import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultOf } from '@loom/kernel';
import { gatherVersions, versionWords } from './version-words.ts';

type Version = ResultOf<'block.history'>[number];

const piece: Version = {
  version: 1,
  seq: 1,
  time: '2026-11-18T00:00:00.000Z',
  agent: 'demo:demo',
  turn: 'turn-1',
  what: ['text'],
  status: 'running',
  inserted: 10,
  deleted: 0,
};
const edit: Version = { ...piece, agent: 'person', what: ['text'], status: 'done', inserted: 3, deleted: 4 };
delete edit.turn;

/** Versions with their numbers, from one on. */
function numbered(versions: readonly Partial<Version>[], first = 1): Version[] {
  return versions.map((version, index) => ({ ...piece, ...version, version: first + index }));
}

function told(versions: readonly Version[]): string[] {
  return gatherVersions(versions).map((version, index) => versionWords(version, index + 1));
}

test('[WB163] the pieces in which an answer came are one version; edits are one each', () => {
  const begun = { what: ['added'] } satisfies Partial<Version>;
  const done = { what: ['status'], status: 'done', inserted: 0 } satisfies Partial<Version>;
  const written = [begun, {}, {}, done];
  assert.deepEqual(told(numbered([...written, edit, edit])), [
    'Version 1, written',
    'Version 2, edited: 3 characters added, 4 characters deleted',
    'Version 3, edited: 3 characters added, 4 characters deleted',
  ]);
  assert.deepEqual(told(numbered([begun, {}, { ...done, status: 'error' }])), ['Version 1, broken off']);
  assert.deepEqual(told(numbered([begun, {}])), ['Version 1, begun']);
});

test('[WB163] of a long answer whose first pieces are not listed the others are one version, too', () => {
  assert.deepEqual(told(numbered([{}, {}, { what: ['status'], status: 'done' }], 401)), ['Version 1, written']);
});

test('[WB163] what a person writes while a model does, and what a model changes later, stays apart', () => {
  const person = { ...edit, status: 'running' } satisfies Partial<Version>;
  assert.equal(told(numbered([{ what: ['added'] }, {}, person, {}])).length, 3);
  const late = { status: 'done' } satisfies Partial<Version>;
  assert.equal(told(numbered([{ what: ['added'], status: 'done' }, late, late])).length, 3);
});
