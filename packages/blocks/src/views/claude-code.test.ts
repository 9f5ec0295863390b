import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFixtures } from './testing/fixtures.ts';

const { viewsOfCall, viewsOfResult } = readFixtures('claude-code');

const calc = 'export function add(a, b) {\n  return a - b;\n}\n\nexport function mul(a, b) {\n  return a * b;\n}\n';
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAHUlEQVR4nGP8z8DAwMDAxIAKmBjQAWGhUQEGBgYAh8sDAf4Q7ZYAAAAASUVORK5CYII=';

test('[VW10] Read shows a file with its name, language, first line and number of lines', () => {
  assert.deepEqual(viewsOfResult('read text'), [
    {
      type: 'code',
      content: calc,
      language: 'javascript',
      filename: '/project/calc.mjs',
      start_line: 1,
      total_lines: 8,
    },
  ]);
  assert.deepEqual(viewsOfResult('read empty'), [
    { type: 'code', content: '', filename: '/project/empty.txt', start_line: 1, total_lines: 1 },
  ]);
});

test('[VW11] the Read of a sub-agent, which reports no structure, is taken from its numbered lines', () => {
  assert.deepEqual(viewsOfResult('read without structure'), [
    { type: 'code', content: 'abc\n', filename: '/project/one.txt', start_line: 1 },
  ]);
});

test('[VW2] NUL in a file that was read is replaced as in every block', () => {
  const [block] = viewsOfResult('read with a note');
  assert.equal(block?.type === 'code' ? block.content : '', 'caf\uFFFD\n\uFFFD\uFFFD\uFFFDA\n');
});

test('[VW12] a picture and a PDF that were read are shown as data URLs', () => {
  assert.deepEqual(viewsOfResult('read image'), [
    {
      type: 'image',
      media_type: 'image/png',
      url: `data:image/png;base64,${picture}`,
      filename: '/project/pic.png',
    },
  ]);
  const [pdf] = viewsOfResult('read pdf');
  assert.equal(pdf?.type === 'image' ? pdf.media_type : '', 'application/pdf');
  assert.match(pdf?.type === 'image' ? (pdf.url ?? '') : '', /^data:application\/pdf;base64,JVBERi0xLjQK/);
});

test('[VW13] a notebook is shown cell by cell, with the pictures that its cells printed', () => {
  assert.deepEqual(viewsOfResult('read notebook'), [
    {
      type: 'code',
      content: '# Title\nsome *text*',
      language: 'markdown',
      filename: '/project/nb.ipynb',
      metadata: { cell_type: 'markdown', cell_id: 'm1' },
    },
    {
      type: 'code',
      content: 'print(6*7)',
      language: 'python',
      filename: '/project/nb.ipynb',
      metadata: { cell_type: 'code', cell_id: 'c1' },
    },
    { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${picture}` },
  ]);
});

test('[VW4] a Read, Edit or Write that failed or was denied has no view', () => {
  for (const name of ['read missing', 'edit that does not fit', 'write denied']) {
    assert.deepEqual(viewsOfResult(name), [], name);
  }
});

test('[VW20] Bash shows the command and what it printed, and claims no exit code that was not told', () => {
  assert.deepEqual(viewsOfResult('bash'), [
    {
      type: 'command',
      command: 'node check.mjs && cat NOTES.md && echo warning >&2',
      stdout: 'ok\n# Notes\n\n- `add` used to subtract.\nwarning',
    },
  ]);
  assert.deepEqual(viewsOfResult('bash without structure'), [{ type: 'command', command: 'echo s3', stdout: 's3' }]);
});

test('[VW4][VW21] a failed Bash keeps its view, with the exit code from the text', () => {
  assert.deepEqual(viewsOfResult('bash failing'), [
    { type: 'command', command: 'echo out; echo err >&2; exit 7', stdout: 'out\nerr', exit_code: 7 },
  ]);
  assert.deepEqual(viewsOfResult('bash failing without structure'), [
    { type: 'command', command: 'wc -c one.txt; exit 4', stdout: '4 one.txt', exit_code: 4 },
  ]);
  assert.deepEqual(viewsOfResult('bash killed'), [{ type: 'command', command: 'kill -9 $$', exit_code: 1 }]);
});

test('[VW22] a refusal is not taken for output', () => {
  assert.deepEqual(viewsOfResult('bash denied'), [{ type: 'command', command: 'echo hi' }]);
  assert.deepEqual(viewsOfResult('bash wrong arguments'), []);
  assert.deepEqual(viewsOfResult('bash unparsed arguments'), []);
});

test('[VW23] a command that was moved to the background after a timeout says so', () => {
  assert.deepEqual(viewsOfResult('bash timed out'), [
    {
      type: 'command',
      command: 'echo before; sleep 20; echo after',
      stdout: 'before',
      metadata: { background: true, task_id: 'bdvo2q7s3', timed_out_after_ms: 1500 },
    },
  ]);
});

test('[VW31] Edit shows the hunks that Claude Code reports', () => {
  assert.deepEqual(viewsOfResult('edit'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/calc.mjs',
          kind: 'modify',
          diff: `--- /project/calc.mjs
+++ /project/calc.mjs
@@ -1,5 +1,5 @@
 export function add(a, b) {
-  return a - b;
+  return a + b;
 }
 
 export function mul(a, b) {
`,
        },
      ],
    },
  ]);
  assert.deepEqual(viewsOfResult('edit everywhere'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/dup.txt',
          kind: 'modify',
          diff: '--- /project/dup.txt\n+++ /project/dup.txt\n@@ -1,2 +1,2 @@\n-same\n-same\n+other\n+other\n',
        },
      ],
    },
  ]);
});

test('[VW8][VW35] the call of an Edit shows the passage that it replaces, even if it will not fit', () => {
  assert.deepEqual(viewsOfCall('edit that does not fit'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/dup.txt',
          kind: 'modify',
          diff: '--- /project/dup.txt\n+++ /project/dup.txt\n@@ -1,1 +1,1 @@\n-absent\n+other\n',
        },
      ],
      metadata: { basis: 'parameters' },
    },
  ]);
});

test('[VW34] Write shows a new file whole and an overwritten one by its diff', () => {
  assert.deepEqual(viewsOfResult('write new'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/NOTES.md',
          kind: 'add',
          diff: '--- /dev/null\n+++ /project/NOTES.md\n@@ -0,0 +1,3 @@\n+# Notes\n+\n+- `add` used to subtract.\n',
        },
      ],
    },
  ]);
  const [block] = viewsOfResult('write over');
  const change = block?.type === 'file-change' ? block.changes[0] : undefined;
  assert.equal(change?.kind, 'modify');
  assert.match(
    change?.diff ?? '',
    /^--- \/project\/calc\.mjs\n\+\+\+ \/project\/calc\.mjs\n@@ -1,7 \+1,2 @@\n-export function add/,
  );
});

test('[VW30] a missing final newline is marked as diff does', () => {
  const [block] = viewsOfResult('write without final newline');
  const diff = block?.type === 'file-change' ? block.changes[0]?.diff : undefined;
  assert.equal(diff, '--- /dev/null\n+++ /project/c.txt\n@@ -0,0 +1,1 @@\n+c\n\\ No newline at end of file\n');
});

test('[VW2] a lone surrogate in a written file is replaced in its diff', () => {
  const [block] = viewsOfResult('write lone surrogate');
  const diff = block?.type === 'file-change' ? block.changes[0]?.diff : undefined;
  assert.match(diff ?? '', /\+lone \uFFFD surrogate\n/);
});

test('[VW41] NotebookEdit shows the diff of the notebook file; its call shows what is known of the cell', () => {
  const [block] = viewsOfResult('notebook edit');
  const change = block?.type === 'file-change' ? block.changes[0] : undefined;
  assert.equal(change?.path, '/project/nb.ipynb');
  assert.match(change?.diff ?? '', /\n-    "print\(6\*7\)"\n/);
  assert.match(change?.diff ?? '', /\n\+   "source": "print\(6\*9\)"\n/);
  assert.deepEqual(viewsOfCall('notebook edit'), [
    {
      type: 'file-change',
      changes: [{ path: '/project/nb.ipynb', kind: 'modify' }],
      metadata: { basis: 'parameters' },
    },
  ]);
});

test('[VW50] TodoWrite shows the new list', () => {
  const list = {
    type: 'todo',
    items: [
      { content: 'Read the file', status: 'completed' },
      { content: 'Fix 🐛 the bug', status: 'in_progress' },
    ],
  };
  assert.deepEqual(viewsOfResult('todo'), [list]);
  assert.deepEqual(viewsOfCall('todo'), [list]);
});

test('[VW52] single tasks are marked as part of a list, and numbered', () => {
  assert.deepEqual(viewsOfResult('task create'), [
    {
      type: 'todo',
      items: [{ content: 'Read the file', status: 'pending' }],
      metadata: { partial: true, task_ids: ['1'] },
    },
  ]);
  assert.deepEqual(viewsOfResult('task update'), [
    {
      type: 'todo',
      items: [{ content: 'Task #1', status: 'in_progress' }],
      metadata: { partial: true, task_ids: ['1'] },
    },
  ]);
  assert.deepEqual(viewsOfResult('task get'), [
    { type: 'todo', items: [{ content: 'Fix 🐛', status: 'pending' }], metadata: { partial: true, task_ids: ['2'] } },
  ]);
  assert.deepEqual(viewsOfResult('task list'), [
    {
      type: 'todo',
      items: [
        { content: 'Read the file', status: 'completed' },
        { content: 'Fix 🐛', status: 'pending' },
      ],
      metadata: { task_ids: ['1', '2'] },
    },
  ]);
  assert.deepEqual(viewsOfResult('task update without status'), []);
});

test('[VW51] a deleted task is named beside the list', () => {
  assert.deepEqual(viewsOfResult('task delete'), [
    { type: 'todo', items: [], metadata: { partial: true, cancelled: ['Task #2'] } },
  ]);
});

test('[VW3] MCP tools have no view', () => {
  assert.deepEqual(viewsOfResult('mcp'), []);
});

test('[VW9] a call that reads has nothing to show before it ran; a command has', () => {
  assert.deepEqual(viewsOfCall('read text'), []);
  assert.deepEqual(viewsOfCall('task list'), []);
  assert.deepEqual(viewsOfCall('bash failing'), [{ type: 'command', command: 'echo out; echo err >&2; exit 7' }]);
});
