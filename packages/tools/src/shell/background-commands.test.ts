import assert from 'node:assert/strict';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { ToolContext } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { contextWith, runTool } from '@loom/providers/testing';
import { testProcesses } from '../testing/test-processes.ts';
import { createTools } from '../toolbox.ts';

function createStage(t: TestContext) {
  const processes = testProcesses();
  const { PATH = '' } = process.env;
  const clock = { now: Date.now, after: () => () => {} };
  const { tools, close } = createTools({ clock, processes, environment: { PATH }, platform: process.platform });
  t.after(close);
  const stopped = new AbortController();
  const directory = realpathSync(temporaryDirectory(t));
  const context: ToolContext = { ...contextWith(stopped.signal), processes, directory };
  const call = async (name: string, parameters: PlainObject, more: Partial<ToolContext> = {}) => {
    const tool = tools.find((one) => one.name === name);
    assert.ok(tool);
    const invocation = { id: 'c', name, parameters, arguments: JSON.stringify(parameters) };
    const { content, is_error: isError = false } = await runTool(tool, invocation, { ...context, ...more });
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return { text, isError };
  };
  const output = async (id: string, after = 0) => {
    const { text } = await call('shell_output', { id, after });
    return { text, next: Number(/next: (\d+)\]$/u.exec(text)?.[1]) };
  };
  const start = async (command: string): Promise<string> => {
    const { text } = await call('shell', { command, background: true });
    return /shell-[0-9a-f]+/u.exec(text)?.[0] ?? assert.fail(text);
  };
  return { call, start, output, directory, close, stopTurn: () => stopped.abort() };
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('[SH8] a command in the background answers with an id, goes on when its turn is over, and is read piece by piece', async (t) => {
  const { start, output, directory, stopTurn } = createStage(t);
  const id = await start('echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3');
  stopTurn();
  await until(async () => (await output(id)).text.includes('one'));
  const { text, next } = await output(id);
  assert.equal(text, 'one\n[running; next: 4]');
  writeFileSync(join(directory, 'go'), '');
  await until(async () => (await output(id)).text.includes('exited'));
  assert.equal((await output(id, next)).text, 'two\n[exited, exit code 3; next: 8]');
});

test('[SH8] it can be stopped, by its own conversation alone, and ends with Loom', async (t) => {
  const { call, start, output, directory, close } = createStage(t);
  const id = await start('echo on; trap "" TERM; sleep 1000');
  await until(async () => (await output(id)).text.includes('on'));
  for (const name of ['shell_output', 'shell_kill']) {
    const foreign = await call(name, { id }, { root: 'root-2' });
    assert.ok(foreign.isError && foreign.text.includes('There is no command'), foreign.text);
  }
  assert.equal((await call('shell_kill', { id })).text, `${id} is stopped.`);
  await start('until [ -e never ]; do echo x > beat; sleep 0.01; done');
  await until(() => existsSync(join(directory, 'beat')));
  await close();
});
