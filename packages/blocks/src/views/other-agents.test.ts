import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFixtures } from './testing/fixtures.ts';
import { viewsOfItem } from './item.ts';

const { viewsOfItem: viewsOfRecorded, viewsOfResult } = readFixtures('other-agents');

const calc = 'export function add(a, b) {\n  return a - b;\n}\n\nexport function mul(a, b) {\n  return a * b;\n}\n';
const path = '/project/calc.mjs';
const head = `--- ${path}\n+++ ${path}\n`;
const exactDiff = `${head}@@ -1,5 +1,5 @@\n export function add(a, b) {\n-  return a - b;\n+  return a + b;\n }\n \n export function mul(a, b) {\n`;
const askedDiff = `${head}@@ -1,1 +1,1 @@\n-  return a - b;\n+  return a + b;\n`;
const notes = {
  path: '/project/NOTES.md',
  kind: 'add',
  diff: '--- /dev/null\n+++ /project/NOTES.md\n@@ -0,0 +1,1 @@\n+# Notes 🧵\n',
};
const todo = {
  type: 'todo',
  items: [
    { content: 'One', status: 'completed' },
    { content: 'Two', status: 'in_progress' },
  ],
};

test('[VW10][VW11] the read tools of Gemini CLI, opencode and pi show the file', () => {
  const code = { type: 'code', content: calc, language: 'javascript', filename: path, start_line: 1 };
  assert.deepEqual(viewsOfResult('gemini read'), [code]);
  assert.deepEqual(viewsOfResult('pi read'), [code]);
  assert.deepEqual(viewsOfResult('opencode read'), [{ ...code, content: calc.trimEnd(), total_lines: 7 }]);
});

test("[VW11] Gemini CLI's stream leaves the content of a file out, so that there is nothing to show", () => {
  assert.deepEqual(viewsOfResult('gemini read, streamed'), []);
});

test('[VW4] reads that failed show nothing', () => {
  for (const name of ['gemini read missing', 'opencode read failed', 'pi read failed']) {
    assert.deepEqual(viewsOfResult(name), [], name);
  }
});

test('[VW20][VW21] commands of Gemini CLI, opencode and pi show output, exit code and time where told', () => {
  const failed = { type: 'command', command: 'echo fail; exit 3', exit_code: 3 };
  assert.deepEqual(viewsOfResult('gemini command failed'), [{ ...failed, stdout: 'fail' }]);
  assert.deepEqual(viewsOfResult('opencode bash failed'), [{ ...failed, stdout: 'fail\n', duration_ms: 32 }]);
  assert.deepEqual(viewsOfResult('pi bash failed'), [{ ...failed, stdout: 'fail\n' }]);
  assert.deepEqual(viewsOfResult('pi bash'), [
    { type: 'command', command: 'echo hello; echo err >&2', stdout: 'hello\nerr\n' },
  ]);
  assert.deepEqual(viewsOfResult('opencode bash'), [
    { type: 'command', command: 'echo hello; echo err >&2', stdout: 'hello\nerr\n', exit_code: 0, duration_ms: 161 },
  ]);
});

test('[VW31] edits that are reported with their texts or their diff show it', () => {
  assert.deepEqual(viewsOfResult('gemini replace'), [
    { type: 'file-change', changes: [{ path, kind: 'modify', diff: exactDiff }] },
  ]);
  assert.deepEqual(viewsOfResult('pi edit'), [
    { type: 'file-change', changes: [{ path, kind: 'modify', diff: exactDiff }] },
  ]);
  const wider = exactDiff.replace('@@ -1,5 +1,5 @@', '@@ -1,6 +1,6 @@').concat('   return a * b;\n');
  assert.deepEqual(viewsOfResult('opencode edit'), [
    { type: 'file-change', changes: [{ path, kind: 'modify', diff: wider }] },
  ]);
});

test('[VW8][VW35] edits that are not reported are shown as they were asked for', () => {
  const asked = {
    type: 'file-change',
    changes: [{ path, kind: 'modify', diff: askedDiff }],
    metadata: { basis: 'parameters' },
  };
  assert.deepEqual(viewsOfResult('gemini replace, streamed'), [asked]);
});

test('[VW34] a new file is an add; on the word of the parameters alone if the agent does not say that it is new', () => {
  assert.deepEqual(viewsOfResult('gemini write'), [{ type: 'file-change', changes: [notes] }]);
  assert.deepEqual(viewsOfResult('opencode write'), [{ type: 'file-change', changes: [notes] }]);
  assert.deepEqual(viewsOfResult('pi write'), [
    { type: 'file-change', changes: [notes], metadata: { basis: 'parameters' } },
  ]);
});

test('[VW50] the lists of Gemini CLI and opencode become todo', () => {
  assert.deepEqual(viewsOfResult('gemini todos'), [todo]);
  assert.deepEqual(viewsOfResult('opencode todowrite'), [todo]);
});

test('[VW39] ACP diffs are changes, before and after they are permitted', () => {
  assert.deepEqual(viewsOfRecorded('acp edit'), [
    { type: 'file-change', changes: [{ path, kind: 'modify', diff: exactDiff }] },
  ]);
  assert.deepEqual(viewsOfRecorded('acp permission'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/no.md',
          kind: 'add',
          diff: '--- /dev/null\n+++ /project/no.md\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n',
        },
      ],
    },
  ]);
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 'c1', kind: 'edit' };
  const content = [{ type: 'diff', path: 'a.txt', oldText: null, newText: 'a\n' }];
  assert.deepEqual(viewsOfItem({ ...update, content }), [
    {
      type: 'file-change',
      changes: [{ path: 'a.txt', kind: 'add', diff: '--- /dev/null\n+++ a.txt\n@@ -0,0 +1,1 @@\n+a\n' }],
    },
  ]);
  assert.deepEqual(viewsOfItem({ ...update, content, status: 'failed' }), []);
});

test('[VW39] the kind of a change that an ACP agent tells is believed', () => {
  const read = (kind: string, oldText: string, newText: string) => {
    const content = [{ type: 'diff', path: 'a', oldText, newText, _meta: { kind } }];
    const [block] = viewsOfItem({ sessionUpdate: 'tool_call', content });
    return block?.type === 'file-change' ? block.changes[0] : undefined;
  };
  assert.deepEqual(read('delete', 'x\n', ''), {
    path: 'a',
    kind: 'delete',
    diff: '--- a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n',
  });
  assert.deepEqual(read('modify', '', 'x\n'), {
    path: 'a',
    kind: 'modify',
    diff: '--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x\n',
  });
  assert.equal(read('strange', 'x\n', 'y\n')?.kind, 'modify');
});

test('[VW8][VW20] an ACP command is its input, or the title for want of one; a read shows nothing', () => {
  assert.deepEqual(viewsOfRecorded('acp command'), [
    { type: 'command', command: 'echo hello', metadata: { basis: 'title' } },
  ]);
  const call = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c1',
    kind: 'execute',
    title: 'List files',
    rawInput: { command: 'ls' },
  };
  assert.deepEqual(viewsOfItem(call), [{ type: 'command', command: 'ls' }]);
  assert.deepEqual(viewsOfRecorded('acp read'), []);
});

test('[VW50] an ACP plan is a todo', () => {
  const entries = [
    { content: 'One', priority: 'high', status: 'completed' },
    { content: 'Two', priority: 'low', status: 'in_progress' },
  ];
  assert.deepEqual(viewsOfItem({ sessionUpdate: 'plan', entries }), [todo]);
});

test('[VW62] pictures in ACP content are shown', () => {
  const content = [{ type: 'content', content: { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } }];
  assert.deepEqual(viewsOfItem({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', content }), [
    { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
  ]);
});
