import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FolderError } from '@loom/data-folder/files';
import type { FolderProblem } from '@loom/data-folder/files';
import { LoomError } from '../command-line/failure.ts';
import { asFailure } from './failures.ts';

const folder = '/data';

/** One of each kind. */
const problems: { [Code in FolderProblem['code']]: Extract<FolderProblem, { code: Code }> } = {
  locked: { code: 'locked', folder, pid: 12, address: 'http://127.0.0.1:4321' },
  'lock-denied': { code: 'lock-denied', file: '/data/loom.lock' },
  'not-writable': { code: 'not-writable', folder, why: 'not-made' },
  'no-data': { code: 'no-data', folder },
  'two-stores': { code: 'two-stores', folder, database: 'loom.db' },
  'not-empty': { code: 'not-empty', folder },
  'not-movable': { code: 'not-movable', folder },
  'restoration-cut-short': { code: 'restoration-cut-short', folder, why: 'EIO', aside: '/data.before' },
  'restoration-unknown': { code: 'restoration-unknown', folder, journal: '/data/loom.restoring.json' },
};

test('[LK6] each problem of a data folder is told by the command with its code, its facts and what to do', () => {
  for (const problem of Object.values(problems)) {
    const { code, ...facts } = problem;
    const failure = asFailure(new FolderError(problem));
    assert.ok(failure instanceof LoomError, code);
    assert.deepEqual([failure.code, failure.details], [code, facts]);
    assert.match(failure.message, /\/data/u, code);
    assert.match(failure.advice ?? '', /^[A-Z].*(?:\.|loom chat)$/su, code);
  }
  const locked = asFailure(new FolderError(problems.locked));
  assert.match(locked instanceof LoomError ? (locked.advice ?? '') : '', /^End it, then try again/u);
});

test('[LK8] what the system does not allow with a file is told with the file and what to do', () => {
  for (const [code, told] of [
    ['EACCES', 'not-permitted'],
    ['EPERM', 'not-permitted'],
    ['EROFS', 'not-permitted'],
    ['ENOTDIR', 'no-folder'],
    ['ENOSPC', 'disk-full'],
  ] as const) {
    const refused = Object.assign(new Error(`${code}: stat '/data/loom.db'`), { code, path: '/data/loom.db' });
    const failure = asFailure(refused);
    assert.ok(failure instanceof LoomError, code);
    assert.deepEqual([failure.code, failure.details], [told, { path: '/data/loom.db' }]);
    assert.match(failure.message, /\/data\/loom\.db/u);
    assert.match(failure.advice ?? '', /^[A-Z].*\.$/u);
  }
  const network = Object.assign(new Error('listen EACCES'), { code: 'EACCES', address: '127.0.0.1' });
  assert.equal(asFailure(network), network);
});

test('[LK6] what is no failure of a package stays as it is', () => {
  const defect = new TypeError('a defect');
  assert.equal(asFailure(defect), defect);
});
