import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openLogFile } from './log-file.ts';

test('[SV74] the log has a JSON document on each line, is for its owner alone, and holds no key', async (t) => {
  const dataDir = temporaryDirectory(t);
  const key = 'sk-canary-0123456789abcdef';
  const log = openLogFile({ dataDir, now: () => 0, env: { OPENAI_API_KEY: key, GOOGLE_API_KEY: 'plain canary' } });
  log.write({ level: 'info', event: 'started', pid: 7 });
  log.write({ level: 'warn', event: `with ${key} and plain canary`, long: 'x'.repeat(5000) });
  await log.flush();
  const path = join(dataDir, 'loom.log');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    event: 'started',
    pid: 7,
  });
  assert.doesNotMatch(lines[1] ?? '', /canary-|plain canary/u);
  assert.ok((lines[1] ?? '').length < 1300);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('[SV74] when the log is full the next file is begun, and there are never more than three', async (t) => {
  const dataDir = temporaryDirectory(t);
  const log = openLogFile({ dataDir, now: () => 0, limit: 1000 });
  for (let number = 0; number < 200; number += 1) {
    log.write({ level: 'info', event: 'counted', number });
    await log.flush();
  }
  assert.deepEqual(readdirSync(dataDir).sort(), ['loom.log', 'loom.log.1', 'loom.log.2']);
  const last = readFileSync(join(dataDir, 'loom.log'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
  assert.match(last, /"number":199/u);
  for (const name of readdirSync(dataDir)) assert.ok(statSync(join(dataDir, name)).size < 1200, name);
});

test('[SV74] a log that cannot be written keeps nothing from going on; later it says how much was lost', async (t) => {
  const dataDir = temporaryDirectory(t);
  const path = join(dataDir, 'loom.log');
  mkdirSync(path);
  chmodSync(path, 0o700);
  const log = openLogFile({ dataDir, now: () => 0 });
  for (const event of ['one', 'two']) {
    log.write({ level: 'info', event });
    await log.flush();
  }
  assert.ok(existsSync(path));
  rmSync(path, { recursive: true });
  log.write({ level: 'info', event: 'three' });
  await log.flush();
  assert.match(readFileSync(path, 'utf8'), /^\{[^\n]*"event":"three","lost":2\}\n$/u);
});
