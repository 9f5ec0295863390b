import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { viewsOfItem } from '../item.ts';
import { viewsOfToolCall, viewsOfToolResult } from '../tool-views.ts';

const ls = { name: 'Bash', parameters: { command: 'ls' } };

test('[VW23] output that Claude Code put into a file is marked as cut, with the file and its size', () => {
  const native = {
    stdout: 'x'.repeat(30_000),
    stderr: '',
    interrupted: false,
    persistedOutputPath: '/home/user/tool-results/b1.txt',
    persistedOutputSize: 48_894,
  };
  const [block] = viewsOfToolResult(ls, { text: '<persisted-output>…</persisted-output>', native, is_error: false });
  assert.equal(block?.type === 'command' ? block.stdout : undefined, native.stdout);
  assert.deepEqual(block?.metadata, {
    truncated: true,
    output_file: '/home/user/tool-results/b1.txt',
    output_bytes: 48_894,
  });
});

test('[VW23] of an output that is only shown in part, the preview is the output', () => {
  const text =
    '<persisted-output>\nOutput too large (47.7KB). Full output saved to: /home/user/b1.txt\n\nPreview (first 2KB):\none\ntwo\n...\n</persisted-output>';
  assert.deepEqual(viewsOfToolResult(ls, { text }), [
    { type: 'command', command: 'ls', stdout: 'one\ntwo', metadata: { truncated: true } },
  ]);
});

test('[VW23] a command in the background has no output of its own yet', () => {
  const call = { name: 'Bash', parameters: { command: 'npm run dev', run_in_background: true } };
  const text = 'Command running in background with ID: b1. Output is being written to: /home/user/b1.output';
  assert.deepEqual(viewsOfToolResult(call, { text, native: { stdout: '', stderr: '', backgroundTaskId: 'b1' } }), [
    { type: 'command', command: 'npm run dev', metadata: { background: true, task_id: 'b1' } },
  ]);
  assert.deepEqual(viewsOfToolResult(call, { text }), [
    { type: 'command', command: 'npm run dev', metadata: { background: true } },
  ]);
});

test('[VW20] streams and exit code are kept apart where the agent does, and an interruption is reported', () => {
  const native = { stdout: 'out', stderr: 'err', exitCode: 2, interrupted: true, durationMs: 12 };
  assert.deepEqual(viewsOfToolResult(ls, { native }), [
    {
      type: 'command',
      command: 'ls',
      stdout: 'out',
      stderr: 'err',
      exit_code: 2,
      duration_ms: 12,
      metadata: { interrupted: true },
    },
  ]);
});

test('[VW12][VW20] a picture that a command printed is an image, not output', () => {
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  assert.deepEqual(viewsOfToolResult(ls, { native: { stdout: url, isImage: true } }), [
    { type: 'command', command: 'ls' },
    { type: 'image', media_type: 'image/png', url },
  ]);
  assert.deepEqual(viewsOfToolResult(ls, { native: { stdout: url } }), [
    { type: 'command', command: 'ls', stdout: url },
  ]);
});

test('[VW21] Claude Code writes the exit code into the text of failures only', () => {
  const read = (text: string, is_error: boolean) => viewsOfToolResult(ls, { text, is_error });
  assert.deepEqual(read('Exit code 2\nno', true), [{ type: 'command', command: 'ls', stdout: 'no', exit_code: 2 }]);
  assert.deepEqual(read('Exit code 2\nno', false), [{ type: 'command', command: 'ls', stdout: 'Exit code 2\nno' }]);
  assert.deepEqual(read('Exit code 2x', true), [{ type: 'command', command: 'ls' }]);
});

test('[VW21][VW23] the text of Codex tells how a run ended, or that it still goes on', () => {
  const read = (text: string) => viewsOfToolResult({ name: 'exec_command', parameters: { cmd: 'ls' } }, { text });
  const head = 'Chunk ID: 1\nWall time: 1.5000 seconds\n';
  assert.deepEqual(read(`${head}Process running with session ID 7\nOutput:\nready\n`), [
    {
      type: 'command',
      command: 'ls',
      stdout: 'ready\n',
      duration_ms: 1500,
      metadata: { running: true, session_id: 7 },
    },
  ]);
  assert.deepEqual(read(`${head}Process exited with code -1\nOutput:\na…12 tokens truncated…b`), [
    {
      type: 'command',
      command: 'ls',
      stdout: 'a…12 tokens truncated…b',
      exit_code: -1,
      duration_ms: 1500,
      metadata: { truncated: true },
    },
  ]);
  assert.deepEqual(read('{"output":"out\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}'), [
    { type: 'command', command: 'ls', stdout: 'out\n', exit_code: 1, duration_ms: 100 },
  ]);
  for (const text of ['ls: aborted by user', `${head}no output`, '{"output":"out"}', '{broken']) {
    assert.deepEqual(read(text), [{ type: 'command', command: 'ls' }], text);
  }
});

test('[VW21][VW23] the text of Gemini CLI tells output, exit code and background processes', () => {
  const read = (text: string, is_error = false) =>
    viewsOfToolResult({ name: 'run_shell_command', parameters: { command: 'ls' } }, { text, is_error });
  const old =
    'Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: 12\nProcess Group PGID: 3';
  assert.deepEqual(read(old), [
    { type: 'command', command: 'ls', stdout: 'a\nb', exit_code: 0, metadata: { background: true } },
  ]);
  assert.deepEqual(read('<untrusted_context>\nOutput: (empty)\nExit Code: 1\n</untrusted_context>'), [
    { type: 'command', command: 'ls', exit_code: 1 },
  ]);
  assert.deepEqual(read('Output: a\nError: its own\nError: (none)\nExit Code: 1'), [
    { type: 'command', command: 'ls', stdout: 'a\nError: its own', exit_code: 1 },
  ]);
  assert.deepEqual(read('Output: a\nExit Code: (none)\nSignal: 9'), [{ type: 'command', command: 'ls', stdout: 'a' }]);
  assert.deepEqual(read('Command was denied', true), [{ type: 'command', command: 'ls' }]);
});

test('[VW21][VW22][VW23] the last paragraph of pi tells how a command failed', () => {
  const read = (text: string, isError = true) =>
    viewsOfToolResult(
      { name: 'bash', parameters: { command: 'ls' } },
      { native: { content: [{ type: 'text', text }], isError } },
    );
  assert.deepEqual(read('some\n\nCommand timed out after 2.5 seconds'), [
    { type: 'command', command: 'ls', stdout: 'some', metadata: { timed_out_after_ms: 2500 } },
  ]);
  assert.deepEqual(read('some\n\nCommand aborted'), [
    { type: 'command', command: 'ls', stdout: 'some', metadata: { interrupted: true } },
  ]);
  assert.deepEqual(read('Command exited with code 2'), [{ type: 'command', command: 'ls', exit_code: 2 }]);
  assert.deepEqual(read('spawn failed'), [{ type: 'command', command: 'ls' }]);
  assert.deepEqual(read('(no output)', false), [{ type: 'command', command: 'ls' }]);
});

test('[VW23] pi and opencode say where the rest of a cut output is', () => {
  const pi = {
    content: [{ type: 'text', text: 'tail' }],
    details: { truncation: { truncated: true }, fullOutputPath: '/scratch/o' },
  };
  const opencode = {
    state: {
      status: 'completed',
      output: 'tail',
      metadata: { output: 'tail', exit: 0, truncated: true, outputPath: '/scratch/o' },
    },
  };
  for (const native of [pi, opencode]) {
    const [block] = viewsOfToolResult({ name: 'bash', parameters: { command: 'ls' } }, { native });
    assert.deepEqual(block?.metadata, { truncated: true, output_file: '/scratch/o' });
  }
});

test('[VW23] output that was cut without a trace of the rest is marked all the same', () => {
  const native = { state: { status: 'completed', metadata: { output: 'tail', exit: 0, truncated: true } } };
  const [block] = viewsOfToolResult({ name: 'bash', parameters: { command: 'ls' } }, { native });
  assert.deepEqual(block?.metadata, { truncated: true });
});

test('[VW24] words are joined to a command line, or give the script of their shell', () => {
  const commandOf = (command: unknown) => viewsOfToolCall({ name: 'shell', parameters: { command } });
  const cases: readonly [words: string[], command: string][] = [
    [['bash', '-lc', 'ls | wc'], 'ls | wc'],
    [['/usr/bin/zsh', '-c', 'a'], 'a'],
    [['C:\\Windows\\powershell.exe', '-NoProfile', '-Command', 'dir'], 'dir'],
    [['git', 'commit', '-m', "it's done"], `git commit -m 'it'\\''s done'`],
    [['bash', 'run.sh', 'now'], 'bash run.sh now'],
  ];
  for (const [words, command] of cases) assert.deepEqual(commandOf(words), [{ type: 'command', command }]);
  assert.deepEqual(commandOf("bash -lc 'ls'"), [{ type: 'command', command: "bash -lc 'ls'" }]);
  assert.deepEqual(commandOf(['  ']), [{ type: 'command', command: "'  '" }]);
  assert.deepEqual(commandOf(' '), []);
});

test('[VW24] a script survives being quoted for a shell, whatever it holds', () => {
  const script = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '`', '\n', '!', '{', ';') });
  const quotings = [
    (text: string) => `'${text.replaceAll("'", `'\\''`)}'`,
    (text: string) => `"${text.replaceAll(/["\\$`]/g, '\\$&')}"`,
    (text: string) =>
      text
        .split('')
        .map((character) => (character === "'" ? `"'"` : `'${character}'`))
        .join(''),
  ];
  fc.assert(
    fc.property(script, fc.constantFrom(...quotings), (text, quote) => {
      fc.pre(text !== '');
      const item = { type: 'command_execution', command: `/bin/bash -lc ${quote(text)}` };
      assert.deepEqual(viewsOfItem(item), [{ type: 'command', command: text }]);
    }),
  );
});

test('[VW24] a line that is more than one invocation is left as it is', () => {
  for (const command of [
    "bash -lc 'a' | tee b",
    'bash -lc "$HOME"',
    "bash -lc 'open",
    'node x.mjs',
    'bash -lc a b',
    'bash -lc `a`',
  ]) {
    assert.deepEqual(viewsOfItem({ type: 'command_execution', command }), [{ type: 'command', command }]);
  }
});

test('[VW36] a patch sent through the shell of older versions of Codex is a change, not a command', () => {
  const patch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch';
  const call = { name: 'shell', parameters: { command: ['apply_patch', patch] } };
  const change = {
    type: 'file-change',
    changes: [{ path: 'a.txt', kind: 'delete' }],
    metadata: { basis: 'parameters' },
  };
  assert.deepEqual(viewsOfToolCall(call), [change]);
  const read = (exit_code: number) =>
    viewsOfToolResult(call, { text: JSON.stringify({ output: '', metadata: { exit_code } }) });
  assert.deepEqual(read(0), [change]);
  assert.deepEqual(read(1), []);
});

test('[VW36] so is one that a script hands to apply_patch and nothing else; where it did not fit, the script is what ran', () => {
  const script = "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\nEOF\n";
  const call = { name: 'shell', parameters: { command: ['bash', '-lc', script] } };
  const change = {
    type: 'file-change',
    changes: [{ path: 'a.txt', kind: 'delete' }],
    metadata: { basis: 'parameters' },
  };
  assert.deepEqual(viewsOfToolCall(call), [change]);
  const text = (exit_code: number): string => JSON.stringify({ output: 'No', metadata: { exit_code } });
  assert.deepEqual(viewsOfToolResult(call, { text: text(0) }), [change]);
  assert.deepEqual(viewsOfToolResult(call, { text: text(1) }), [
    { type: 'command', command: script, stdout: 'No', exit_code: 1 },
  ]);
  const native = { type: 'patch_apply_end', success: true, stdout: 'Success', stderr: '' };
  assert.deepEqual(viewsOfToolResult(call, { text: text(0), native }), [change], 'a report without the changes');
  const more = { name: 'shell', parameters: { command: ['bash', '-lc', `${script}ls`] } };
  assert.deepEqual(viewsOfToolCall(more), [{ type: 'command', command: `${script}ls` }]);
});
