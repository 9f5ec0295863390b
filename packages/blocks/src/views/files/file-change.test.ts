import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOfToolCall, viewsOfToolResult } from '../tool-views.ts';

const asked = { basis: 'parameters' };

test('[VW34] a file that existed, and whose old text is not told, is modified without a diff', () => {
  const call = { name: 'write', parameters: { filePath: 'a.txt', content: 'new\n' } };
  const native = { state: { status: 'completed', metadata: { exists: true } } };
  const modified = [{ type: 'file-change', changes: [{ path: 'a.txt', kind: 'modify' }] }];
  assert.deepEqual(viewsOfToolResult(call, { native }), modified);
  const text = 'The file a.txt has been updated successfully.';
  assert.deepEqual(viewsOfToolResult({ ...call, name: 'Write' }, { text }), modified);
});

test('[VW34] the text of a sub-agent tells that a file is new', () => {
  const call = { name: 'Write', parameters: { file_path: 'a.txt', content: 'new\n' } };
  assert.deepEqual(viewsOfToolResult(call, { text: 'File created successfully at: a.txt' }), [
    {
      type: 'file-change',
      changes: [{ path: 'a.txt', kind: 'add', diff: '--- /dev/null\n+++ a.txt\n@@ -0,0 +1,1 @@\n+new\n' }],
    },
  ]);
});

test('[VW34] an empty new file and a file written as it was have no diff', () => {
  const write = (native: unknown) => viewsOfToolResult({ name: 'Write', parameters: {} }, { native });
  assert.deepEqual(write({ type: 'create', filePath: 'a', content: '', originalFile: null }), [
    { type: 'file-change', changes: [{ path: 'a', kind: 'add' }] },
  ]);
  assert.deepEqual(write({ type: 'update', filePath: 'a', content: 'x', originalFile: 'x', structuredPatch: [] }), [
    { type: 'file-change', changes: [{ path: 'a', kind: 'modify' }] },
  ]);
});

test('[VW35] several edits are several hunks, and a dollar sign is only a dollar sign', () => {
  const edits = [
    { old_string: 'one', new_string: '$&' },
    { old_string: 'two\n', new_string: '' },
  ];
  const parameters = { file_path: 'a', edits };
  assert.deepEqual(viewsOfToolCall({ name: 'MultiEdit', parameters }), [
    {
      type: 'file-change',
      changes: [
        { path: 'a', kind: 'modify', diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-one\n+$&\n@@ -2,1 +1,0 @@\n-two\n' },
      ],
      metadata: asked,
    },
  ]);
  const native = { filePath: 'a', edits, originalFileContents: 'zero\none\ntwo\n' };
  assert.deepEqual(viewsOfToolResult({ name: 'MultiEdit', parameters }, { native }), [
    {
      type: 'file-change',
      changes: [{ path: 'a', kind: 'modify', diff: '--- a\n+++ a\n@@ -1,3 +1,2 @@\n zero\n-one\n-two\n+$&\n' }],
    },
  ]);
});

test('[VW35] an edit of an empty passage makes a new file', () => {
  const parameters = { file_path: 'a', old_string: '', new_string: 'x\n' };
  assert.deepEqual(viewsOfToolCall({ name: 'Edit', parameters }), [
    {
      type: 'file-change',
      changes: [{ path: 'a', kind: 'add', diff: '--- /dev/null\n+++ a\n@@ -0,0 +1,1 @@\n+x\n' }],
      metadata: asked,
    },
  ]);
});

test('[VW3][VW35] an incomplete edit, or one of no file, shows nothing', () => {
  const incomplete = [
    { old_string: 'a', new_string: 'b' },
    { file_path: ' ', old_string: 'a', new_string: 'b' },
    { file_path: 'a', old_string: 'a' },
    { file_path: 'a', edits: [] },
    { file_path: 'a', edits: [{ old_string: 'a', new_string: 'b' }, 'c'] },
  ];
  for (const parameters of incomplete) assert.deepEqual(viewsOfToolCall({ name: 'Edit', parameters }), []);
});

test('[VW35] edits that do not fit the reported original are shown as they were asked for', () => {
  const parameters = { file_path: 'a', old_string: 'x', new_string: 'y' };
  const [block] = viewsOfToolResult({ name: 'Edit', parameters }, { native: { originalFile: 'nothing\n' } });
  assert.deepEqual(block?.metadata, asked);
});

test('[VW40] the text editor tool reads, writes, replaces and inserts', () => {
  const name = 'str_replace_based_edit_tool';
  const call = (parameters: object) => viewsOfToolCall({ name, parameters: { path: 'a.ts', ...parameters } });
  const change = (kind: string, diff: string) => [
    { type: 'file-change', changes: [{ path: 'a.ts', kind, diff }], metadata: asked },
  ];
  assert.deepEqual(
    call({ command: 'create', file_text: 'x\n' }),
    change('add', '--- /dev/null\n+++ a.ts\n@@ -0,0 +1,1 @@\n+x\n'),
  );
  assert.deepEqual(
    call({ command: 'str_replace', old_str: 'x' }),
    change('modify', '--- a.ts\n+++ a.ts\n@@ -1,1 +0,0 @@\n-x\n'),
  );
  const insertion = change('modify', '--- a.ts\n+++ a.ts\n@@ -4,0 +5,1 @@\n+y\n');
  assert.deepEqual(call({ command: 'insert', insert_line: 4, insert_text: 'y' }), insertion);
  const parameters = { path: 'a.ts', command: 'insert', insert_line: 4, new_str: 'y\n' };
  assert.deepEqual(viewsOfToolResult({ name, parameters }, { text: 'ok' }), insertion);
  assert.deepEqual(call({ command: 'undo_edit' }), []);
  for (const insert_line of [-1, '4', undefined]) {
    assert.deepEqual(call({ command: 'insert', insert_line, insert_text: 'y' }), []);
  }
  const view = { name: 'str_replace_editor', parameters: { command: 'view', path: 'a.ts' } };
  assert.deepEqual(viewsOfToolResult(view, { text: '1\tlet a;' }), [
    { type: 'code', content: 'let a;', language: 'typescript', filename: 'a.ts', start_line: 1 },
  ]);
});

test('[VW41] a cell that is inserted, replaced or deleted without a report of the file', () => {
  const cell = (parameters: object, native?: unknown) => {
    const [block] = viewsOfToolResult(
      { name: 'NotebookEdit', parameters: { notebook_path: 'n.ipynb', ...parameters } },
      { native },
    );
    return block?.type === 'file-change' ? block.changes[0]?.diff : undefined;
  };
  const head = '--- n.ipynb\n+++ n.ipynb\n';
  assert.equal(cell({ edit_mode: 'insert', new_source: 'a' }), `${head}@@ -0,0 +1,1 @@\n+a\n`);
  assert.equal(cell({ new_source: 'a' }, { old_source: 'b' }), `${head}@@ -1,1 +1,1 @@\n-b\n+a\n`);
  assert.equal(cell({ edit_mode: 'delete', new_source: '' }, { old_source: 'b' }), `${head}@@ -1,1 +0,0 @@\n-b\n`);
  assert.equal(cell({ new_source: 'a' }), undefined);
});
