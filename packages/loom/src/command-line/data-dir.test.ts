import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { resolveDataDir } from './data-dir.ts';

const HOME = '/home/me';

test('[LM9] data lives in --data-dir, else in LOOM_DATA_DIR, else in ~/.loom; ~ means home', () => {
  const env = { HOME, LOOM_DATA_DIR: '/from/environment' };
  assert.equal(resolveDataDir('/from/option', env), '/from/option');
  assert.equal(resolveDataDir(undefined, env), '/from/environment');
  assert.equal(resolveDataDir(undefined, { HOME }), '/home/me/.loom');
  assert.equal(resolveDataDir('~/x', { HOME }), '/home/me/x');
  assert.equal(resolveDataDir(undefined, { HOME, LOOM_DATA_DIR: '~' }), HOME);
  assert.equal(resolveDataDir('relative', { HOME }), resolve('relative'));
  assert.equal(resolveDataDir('~user/x', { HOME }), resolve('~user/x'));
});

test('[LM22] a data folder with a path that is too long is refused', () => {
  assert.equal(resolveDataDir(`/${'x'.repeat(479)}`, { HOME }).length, 480);
  for (const path of [`/${'x'.repeat(480)}`, `~/${'ü/'.repeat(200)}`, `/${'x/'.repeat(1750)}`]) {
    assert.throws(() => resolveDataDir(path, { HOME }), { code: 'path-too-long' });
  }
});

test('[LM9] a blank variable counts as not set; without HOME the account tells, and never the current directory', () => {
  assert.equal(resolveDataDir(undefined, { HOME, LOOM_DATA_DIR: ' ' }), '/home/me/.loom');
  for (const env of [{}, { HOME: '' }]) {
    assert.equal(resolveDataDir(undefined, env), join(userInfo().homedir, '.loom'));
  }
});
