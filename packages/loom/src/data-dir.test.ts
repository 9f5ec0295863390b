import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { resolveDataDir } from './data-dir.ts';

test('[LM9] data lives in --data-dir, else in LOOM_DATA_DIR, else in ~/.loom; ~ means home', () => {
  const env = { LOOM_DATA_DIR: '/from/environment' };
  assert.equal(resolveDataDir('/from/option', env), '/from/option');
  assert.equal(resolveDataDir(undefined, env), '/from/environment');
  assert.equal(resolveDataDir(undefined, {}), join(homedir(), '.loom'));
  assert.equal(resolveDataDir(undefined, { LOOM_DATA_DIR: '' }), join(homedir(), '.loom'));
  assert.equal(resolveDataDir('~/x', {}), join(homedir(), 'x'));
  assert.equal(resolveDataDir(undefined, { LOOM_DATA_DIR: '~' }), homedir());
  assert.equal(resolveDataDir('relative', {}), resolve('relative'));
  assert.equal(resolveDataDir('~user/x', {}), resolve('~user/x'));
});
