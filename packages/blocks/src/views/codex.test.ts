import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFixtures } from './testing/fixtures.ts';
import { viewsOfItem } from './item.ts';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';

const { itemOf, viewsOfCall, viewsOfItem: viewsOfRecorded, viewsOfResult } = readFixtures('codex');

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAHUlEQVR4nGP8z8DAwMDAxIAKmBjQAWGhUQEGBgYAh8sDAf4Q7ZYAAAAASUVORK5CYII=';
const imageBlock = { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${picture}` };

test('[VW20][VW24] a command of exec shows the script without its shell, running and done', () => {
  assert.deepEqual(viewsOfRecorded('command started'), [{ type: 'command', command: 'cat calc.mjs && ls' }]);
  assert.deepEqual(viewsOfRecorded('command'), [
    {
      type: 'command',
      command: 'cat calc.mjs && ls',
      stdout: 'export function add(a, b) {\n  return a - b;\n}\na.txt\nb.txt\ncalc.mjs\nname1.txt\nold.txt\n',
      exit_code: 0,
    },
  ]);
});

test('[VW24] one run reads the same in exec, in the rollout and as the call with its text', () => {
  const failed = {
    type: 'command',
    command: `node -e "import('./calc.mjs').then(m=>{if(m.add(2,3)!==5){console.error('FAIL',m.add(2,3));process.exit(3)}})"`,
    stdout: 'FAIL -1\n',
    exit_code: 3,
  };
  assert.deepEqual(viewsOfRecorded('command failed'), [failed]);
  assert.deepEqual(viewsOfRecorded('command failed, in the rollout'), [{ ...failed, duration_ms: 0 }]);
  assert.deepEqual(viewsOfResult('exec failed'), [{ ...failed, duration_ms: 0 }]);
});

test('[VW20][VW21] the duration of a run comes from the app-server, and from the text of a call', () => {
  const run = {
    type: 'command',
    command: 'for i in 1 2 3; do echo line $i; sleep 0.2; done',
    stdout: 'line 1\nline 2\nline 3\n',
    exit_code: 0,
  };
  assert.deepEqual(viewsOfRecorded('command at the app-server'), [{ ...run, duration_ms: 508 }]);
  assert.deepEqual(viewsOfResult('exec'), [{ ...run, duration_ms: 509 }]);
});

test('[VW25] a declined command has no view', () => {
  assert.deepEqual(viewsOfRecorded('command declined'), []);
});

test('[VW22] a rejected exec_command, which Codex reports as an ordinary result, has no output', () => {
  assert.deepEqual(viewsOfResult('exec rejected'), [{ type: 'command', command: 'touch /elsewhere/nope' }]);
});

test('[VW24] a local_shell_call is a command', () => {
  assert.deepEqual(viewsOfRecorded('local shell'), [{ type: 'command', command: 'echo local shell' }]);
});

test('[VW23] output that Codex cut in the middle is marked, with the bytes left out', () => {
  const item = {
    type: 'command_execution',
    command: "/bin/bash -lc 'yes'",
    aggregated_output: 'y\n... 1048000 bytes omitted ...\ny\n',
    exit_code: 0,
    status: 'completed',
  };
  assert.deepEqual(viewsOfItem(item), [
    {
      type: 'command',
      command: 'yes',
      stdout: item.aggregated_output,
      exit_code: 0,
      metadata: { truncated: true, omitted_bytes: 1048000 },
    },
  ]);
});

test('[VW38] exec tells paths and kinds only', () => {
  assert.deepEqual(viewsOfRecorded('changes'), [
    {
      type: 'file-change',
      changes: [
        { path: '/project/a.txt', kind: 'modify' },
        { path: '/project/b.txt', kind: 'modify' },
        { path: '/project/c.txt', kind: 'add' },
      ],
    },
  ]);
});

test('[VW38] the rollout tells diffs and contents, keyed by path', () => {
  const changesOf = (name: string) => {
    const [block] = viewsOfRecorded(name);
    return block?.type === 'file-change' ? block.changes : undefined;
  };
  assert.deepEqual(changesOf('change in the rollout'), [
    {
      path: '/project/calc.mjs',
      kind: 'modify',
      diff: '--- /project/calc.mjs\n+++ /project/calc.mjs\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a - b;\n+  return a + b;\n }\n',
    },
  ]);
  assert.deepEqual(changesOf('addition in the rollout'), [
    {
      path: '/project/notes/NOTES.md',
      kind: 'add',
      diff: '--- /dev/null\n+++ /project/notes/NOTES.md\n@@ -0,0 +1,3 @@\n+# Notes\n+\n+- add used to subtract\n',
    },
  ]);
  assert.deepEqual(changesOf('deletion in the rollout'), [
    {
      path: '/project/old.txt',
      kind: 'delete',
      diff: '--- /project/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-to be deleted\n',
    },
  ]);
  assert.deepEqual(changesOf('rename in the rollout'), [
    {
      path: '/project/renamed/name2.txt',
      kind: 'rename',
      from: '/project/name1.txt',
      diff: '--- /project/name1.txt\n+++ /project/renamed/name2.txt\n@@ -1,3 +1,3 @@\n line one\n-line two\n+line 2\n line three\n',
    },
  ]);
});

test('[VW38] the app-server tells diffs, contents of new files, and renames with a note behind the diff', () => {
  assert.deepEqual(viewsOfRecorded('changes at the app-server'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/a.txt',
          kind: 'modify',
          diff: '--- /project/a.txt\n+++ /project/a.txt\n@@ -1,1 +1,1 @@\n-alpha\n+beta\n',
        },
        {
          path: '/project/new/n.txt',
          kind: 'add',
          diff: '--- /dev/null\n+++ /project/new/n.txt\n@@ -0,0 +1,1 @@\n+n\n',
        },
      ],
    },
  ]);
  assert.deepEqual(viewsOfRecorded('rename at the app-server'), [
    {
      type: 'file-change',
      changes: [
        {
          path: '/project/moved.txt',
          kind: 'rename',
          from: '/project/a.txt',
          diff: '--- /project/a.txt\n+++ /project/moved.txt\n@@ -1,1 +1,1 @@\n-beta\n+gamma\n',
        },
      ],
    },
  ]);
});

test('[VW38] changes without a type, as older versions wrote them, are recognized by their key', () => {
  const changes = {
    'a.txt': { update: { unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: null } },
    'b.txt': { add: { content: 'b\n' } },
  };
  assert.deepEqual(viewsOfItem({ type: 'patch_apply_end', success: true, changes }), [
    {
      type: 'file-change',
      changes: [
        { path: 'a.txt', kind: 'modify', diff: '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n' },
        { path: 'b.txt', kind: 'add', diff: '--- /dev/null\n+++ b.txt\n@@ -0,0 +1,1 @@\n+b\n' },
      ],
    },
  ]);
  assert.deepEqual(viewsOfItem({ type: 'patch_apply_end', success: false, changes }), []);
});

test('[VW4][VW38] a change that failed or was declined changed nothing', () => {
  for (const status of ['failed', 'declined']) {
    const item = { type: 'file_change', changes: [{ path: '/project/a.txt', kind: 'update' }], status };
    assert.deepEqual(viewsOfItem(item), [], status);
  }
});

test('[VW36] a patch shows its files, also before it is applied', () => {
  const patched = [
    {
      type: 'file-change',
      changes: [
        { path: 'a.txt', kind: 'modify', diff: '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-a\n+A\n' },
        { path: 'b.txt', kind: 'modify', diff: '--- b.txt\n+++ b.txt\n@@ -1,1 +1,1 @@\n-b\n+B\n' },
        { path: 'c.txt', kind: 'add', diff: '--- /dev/null\n+++ c.txt\n@@ -0,0 +1,1 @@\n+c\n' },
      ],
      metadata: { basis: 'parameters' },
    },
  ];
  assert.deepEqual(viewsOfCall('patch'), patched);
  assert.deepEqual(viewsOfResult('patch'), patched);
});

test('[VW36] a patch renames and deletes', () => {
  assert.deepEqual(viewsOfResult('patch with a rename'), [
    {
      type: 'file-change',
      changes: [
        {
          path: 'renamed/name2.txt',
          kind: 'rename',
          from: 'name1.txt',
          diff: '--- name1.txt\n+++ renamed/name2.txt\n@@ -1,3 +1,3 @@\n line one\n-line two\n+line 2\n line three\n',
        },
      ],
      metadata: { basis: 'parameters' },
    },
  ]);
  assert.deepEqual(viewsOfResult('patch that deletes'), [
    { type: 'file-change', changes: [{ path: 'old.txt', kind: 'delete' }], metadata: { basis: 'parameters' } },
  ]);
});

test('[VW37] a patch that did not fit changed nothing, although nothing marks its result as failed', () => {
  assert.equal(viewsOfCall('patch that does not fit').length, 1);
  assert.deepEqual(viewsOfResult('patch that does not fit'), []);
});

test('[VW7] the item that Codex recorded wins over the patch that was asked for', () => {
  const call = {
    name: 'apply_patch',
    parameters: { input: '*** Begin Patch\n*** Delete File: other.txt\n*** End Patch' },
  };
  const native = itemOf('change in the rollout');
  assert.deepEqual(viewsOfToolResult(call, { native }), viewsOfRecorded('change in the rollout'));
  const failed = { type: 'FileChange', changes: {}, status: 'failed' };
  assert.deepEqual(viewsOfToolResult(call, { native: failed }), []);
});

test('[VW9] an item type stands in for the call that exec does not show', () => {
  assert.deepEqual(viewsOfToolCall({ name: 'command_execution', parameters: { command: "/bin/bash -lc 'ls -l'" } }), [
    { type: 'command', command: 'ls -l' },
  ]);
  const changes = [{ path: 'a', kind: 'delete' }];
  assert.deepEqual(viewsOfToolCall({ name: 'file_change', parameters: { changes } }), [
    { type: 'file-change', changes },
  ]);
});

test('[VW50] plans and lists become todo, in progress where the plan says so', () => {
  assert.deepEqual(viewsOfResult('plan'), [
    {
      type: 'todo',
      items: [
        { content: 'Read the file', status: 'completed' },
        { content: 'Fix the bug', status: 'in_progress' },
        { content: 'Verify', status: 'pending' },
      ],
    },
  ]);
  assert.deepEqual(viewsOfRecorded('list'), [
    {
      type: 'todo',
      items: [
        { content: 'Read the file', status: 'completed' },
        { content: 'Fix the bug', status: 'pending' },
        { content: 'Verify', status: 'pending' },
      ],
    },
  ]);
  assert.deepEqual(viewsOfResult('plan refused'), []);
});

test('[VW61] a page that was opened is a source, a query is not', () => {
  const url = 'https://example.org/loom';
  assert.deepEqual(viewsOfRecorded('web page'), [{ type: 'sources', sources: [{ id: url, url, title: '' }] }]);
  assert.deepEqual(viewsOfRecorded('web search'), []);
});

test('[VW62] pictures of MCP tools, of view_image and of the image generator are shown', () => {
  assert.deepEqual(viewsOfRecorded('mcp'), [imageBlock]);
  assert.deepEqual(viewsOfResult('image'), [imageBlock]);
  assert.deepEqual(viewsOfRecorded('image generated'), [imageBlock]);
  assert.deepEqual(viewsOfRecorded('mcp failed'), []);
});
