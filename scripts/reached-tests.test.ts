import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { temporaryDirectory, writeFiles } from '../checks/testing/planted-repository.ts';
import { listChangedFiles } from './changed-files.ts';
import { findReachedTests } from './reached-tests.ts';

const files = {
  'packages/wool/package.json': '{ "name": "@loom/wool", "exports": { ".": "./src/index.ts" } }',
  'packages/wool/src/index.ts':
    "export { spin } from './spin.ts';\nexport * from './dye.ts';\nexport type { Fleece } from './fleece.ts';\n",
  'packages/wool/src/spin.ts': "import { card } from './card.ts';\nexport const spin = () => card;\n",
  'packages/wool/src/card.ts': 'export const card = 1;\n',
  'packages/wool/src/dye.ts': 'export const dye = 1;\n',
  'packages/wool/src/fleece.ts': 'export interface Fleece { weight: number }\n',
  'packages/wool/src/thread.ts': 'export const thread = 1;\n',
  'packages/wool/src/spin.test.ts': "import { spin } from './spin.ts';\nspin();\n",
  'packages/cloth/package.json': '{ "name": "@loom/cloth" }',
  'packages/cloth/src/weave.test.ts': "import { spin } from '@loom/wool';\nspin();\n",
  'packages/cloth/src/colors.test.ts':
    "import { dye, type Fleece } from '@loom/wool';\nnew URL('../../wool/src/thread.ts', import.meta.url);\n",
  'packages/cloth/src/pattern.txt': 'x\n',
};

test('[RP23] a change reaches the tests that load it, by names through entries, by programs, and by files beside them', (t) => {
  const root = temporaryDirectory(t);
  writeFiles(root, files);
  const reached = (...changed: string[]): string[] =>
    [...findReachedTests(root, changed)].map(([file, distance]) => `${distance} ${file.replace(/^.*\//u, '')}`).sort();
  assert.deepEqual(reached('packages/wool/src/spin.test.ts'), ['0 spin.test.ts']);
  assert.deepEqual(reached('packages/wool/src/spin.ts'), ['1 spin.test.ts', '1 weave.test.ts']);
  assert.deepEqual(reached('packages/wool/src/card.ts'), ['2 spin.test.ts', '2 weave.test.ts']);
  assert.deepEqual(reached('packages/wool/src/dye.ts'), ['1 colors.test.ts', '1 weave.test.ts']);
  assert.deepEqual(reached('packages/wool/src/fleece.ts'), []);
  assert.deepEqual(reached('packages/wool/src/thread.ts'), ['1 colors.test.ts']);
  assert.deepEqual(reached('packages/cloth/src/pattern.txt'), ['0 colors.test.ts', '0 weave.test.ts']);
  assert.deepEqual(reached('docs/page.md'), []);
});

test('[RP23] changed is what differs from the main branch, in commits and in the working tree', (t) => {
  const root = temporaryDirectory(t);
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    assert.equal(spawnSync('git', [...identity, ...args], { cwd: root }).status, 0, args.join(' '));
  };
  git('init', '-q', '-b', 'main');
  writeFiles(root, { 'one.ts': '1\n', 'two.ts': '1\n' });
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFiles(root, { 'two.ts': '2\n' });
  git('commit', '-qam', 'second');
  assert.deepEqual(listChangedFiles(root), ['two.ts'], 'of the last commit');
  writeFiles(root, { 'one.ts': '2\n' });
  assert.deepEqual(listChangedFiles(root), ['one.ts']);
  git('checkout', '-qb', 'work');
  git('commit', '-qam', 'third');
  writeFiles(root, { 'three.ts': '1\n' });
  assert.deepEqual(listChangedFiles(root), ['one.ts', 'three.ts']);
  assert.deepEqual(listChangedFiles(temporaryDirectory(t)), []);
});
