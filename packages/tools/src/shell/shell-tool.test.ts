import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { CommandBlock } from '@loom/blocks';
import type { ToolContext, ToolOutcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { contextWith, runTool, testToolContract } from '@loom/providers/testing';
import { createTools } from '../toolbox.ts';
import { testProcesses } from '../testing/test-processes.ts';

const processes = testProcesses();

function shell(environment: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const clock = {
    now: Date.now,
    after: (milliseconds: number, callback: () => void) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const { tools } = createTools({
    clock,
    processes,
    environment: { PATH, ...environment },
    platform: process.platform,
  });
  const tool = tools.find(({ name }) => name === 'shell');
  assert.ok(tool);
  return tool;
}

function contextIn(t: TestContext, signal = new AbortController().signal): ToolContext & { directory: string } {
  return { ...contextWith(signal), processes, directory: realpathSync(temporaryDirectory(t)) };
}

const invocation = (parameters: { command: string; timeout_ms?: number }) => ({
  id: 'c',
  name: 'shell',
  parameters,
  arguments: JSON.stringify(parameters),
});

const run = (context: ToolContext, command: string, more: { timeout_ms?: number } = {}): Promise<ToolOutcome> =>
  runTool(shell({ HOME: '/nowhere', SECRET_KEY: 'x' }), invocation({ command, ...more }), context);

function commandOf({ content }: ToolOutcome): CommandBlock {
  const [block] = content;
  assert.ok(block?.type === 'command');
  return block;
}

testToolContract('shell', () => shell(), { samples: [{ command: 'sleep 1000' }] });

test('[SH1] a command runs in the folder; its block has both outputs, the exit code and the duration', async (t) => {
  const context = contextIn(t);
  const block = commandOf(await run(context, 'pwd; echo wrong >&2; exit 3'));
  assert.deepEqual(
    [block.command, block.stdout, block.stderr, block.exit_code],
    ['pwd; echo wrong >&2; exit 3', `${context.directory}\n`, 'wrong\n', 3],
  );
  assert.ok((block.duration_ms ?? -1) >= 0);
});

test('[SH1] a character that arrives in two pieces is not cut', async (t) => {
  const block = commandOf(await run(contextIn(t), String.raw`printf '\xe2\x82'; sleep 0.05; printf '\xac'`));
  assert.equal(block.stdout, '€');
});

test('[SH2] a person is shown the exact command and where it would run, and without a folder nothing runs', async (t) => {
  const context = contextIn(t);
  const command = 'echo  "a  b" > x';
  const { permission, preview = [] } = await shell().prepare(invocation({ command }), context);
  assert.equal(permission, 'ask');
  assert.deepEqual(preview[0], { type: 'command', command });
  assert.ok(
    preview[1]?.type === 'text' && preview[1].text.includes(context.directory) && /sandbox/u.test(preview[1].text),
  );
  const { directory: _directory, ...without } = context;
  const denied = await shell().prepare(invocation({ command }), without);
  assert.equal(denied.permission, 'deny');
  const ran = await runTool(shell(), invocation({ command }), without);
  assert.equal(ran.is_error, true);
});

test('[SH3] a command that takes longer than it may is stopped, and the model reads what it printed and why it ended', async (t) => {
  const outcome = await run(contextIn(t), 'echo begun; sleep 1000', { timeout_ms: 3000 });
  assert.equal(outcome.is_error, true);
  const text = outcome.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  assert.match(text, /^begun\n\[stopped after 3 seconds/u);
});

test('[SH4] a command sees no variable that Loom does not name, no terminal, and its input at its end', async (t) => {
  const { stdout } = commandOf(await run(contextIn(t), 'env; test -t 0 || echo no terminal; cat; echo end'));
  assert.ok(typeof stdout === 'string');
  assert.doesNotMatch(stdout, /SECRET_KEY/u);
  assert.match(stdout, /^HOME=\/nowhere$/mu);
  assert.match(stdout, /^GIT_EDITOR=true$/mu);
  assert.match(stdout, /no terminal\nend\n$/u);
});

test('[SH5] a call that cannot be read is answered with what is wrong, and nobody is asked', async (t) => {
  const context = contextIn(t);
  for (const parameters of [{ command: '' }, { command: 'a\0b' }, { command: 'true', timeout_ms: 0 }]) {
    assert.equal((await shell().prepare(invocation(parameters), context)).permission, 'run');
    const { content, is_error: isError } = await runTool(shell(), invocation(parameters), context);
    assert.equal(isError, true);
    assert.ok(content[0]?.type === 'text' && content[0].text.startsWith('shell cannot be called like this: '));
  }
});
