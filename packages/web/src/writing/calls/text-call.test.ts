import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineWords, textCallOf, textResultOf } from './text-call.ts';

test('[WB740] a call that edits a text is told by the lines it changes, counted from 1', () => {
  const words = (name: string, parameters: Record<string, unknown>): string | undefined => {
    const { lines } = textCallOf(name, parameters);
    return lines && lineWords(lines);
  };
  const replace = { op: 'replace', start_line: 2, end_line: 5, content: 'x' };
  assert.equal(words('block_edit', { block_id: 'r/b', operations: [replace] }), 'lines 3–5');
  assert.equal(words('block_edit', { operations: [{ op: 'insert', line: 0, content: 'x' }] }), 'line 1');
  assert.equal(
    words('block_edit', { operations: [replace, { op: 'delete', start_line: 8, end_line: 9 }] }),
    'lines 3–9',
  );
  assert.equal(words('block_apply_patch', { patch: '@@ -1,2 +1,3 @@\n a\n@@ -9 +10 @@\n-b\n+c' }), 'lines 1–10');
  assert.equal(words('block_edit', { operations: 'damaged' }), undefined);
  assert.equal(words('block_edit', { operations: [{ op: 'insert', line: Infinity }] }), undefined);
  assert.equal(words('block_read', { block_id: 'r/b' }), undefined);
});

test('[WB741] the version that an edit made is read from its result', () => {
  assert.deepEqual(textResultOf('{"version":7}'), { version: 7, block: undefined });
  assert.deepEqual(textResultOf('{"node":"r/n","block_id":"r/b","version":1}'), { version: 1, block: 'r/b' });
  assert.deepEqual(textResultOf('line 3 is not there'), { version: undefined, block: undefined });
});
