import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeDisk } from '@loom/data-folder/files';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openInputHistory } from './input-history.ts';

test('[CH32] what was typed is there in the next chat, for its owner alone, and bounded', async (context) => {
  const folder = temporaryDirectory(context);
  const file = join(folder, 'chat-history');
  const first = await openInputHistory(nodeDisk, folder);
  assert.deepEqual(first.lines, []);
  const lines = Array.from({ length: 600 }, (_, index) => `line ${600 - index}`);
  first.keep(['x'.repeat(20_000), ...lines]);
  first.keep(['another', ...lines]);
  await first.saved();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const next = await openInputHistory(nodeDisk, folder);
  assert.deepEqual([next.lines.length, next.lines.slice(0, 2)], [500, ['another', 'line 600']]);
  assert.ok(readFileSync(file, 'utf8').endsWith('line 600\nanother\n'));
});

test('[CH32] a history that cannot be read or written does not hinder a chat', async (context) => {
  const folder = temporaryDirectory(context);
  writeFileSync(join(folder, 'file'), '');
  const history = await openInputHistory(nodeDisk, join(folder, 'file'));
  history.keep(['one']);
  await history.saved();
  assert.deepEqual(history.lines, []);
});
