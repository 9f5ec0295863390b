import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openWriter } from '../../runtime/opened-folder.ts';
import { styleFor } from '../../terminal/style.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { Conversation } from '../conversation.ts';
import { Column } from '../drawing/column.ts';
import { chooseTools } from './folder-commands.ts';
import { directCommand, switchInstructions, useWorktree } from './work-commands.ts';

/** A model that runs what it is told, once. */
const runner: Provider = {
  id: 'runner',
  async *stream({ messages }): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const last = messages.at(-1);
    const [first] = last?.role === 'user' ? last.content : [];
    const parameters = { command: first?.type === 'text' ? first.text : '' };
    yield {
      type: 'block',
      message: 'm',
      role: 'assistant',
      block:
        first?.type === 'text'
          ? { type: 'tool-use', id: crypto.randomUUID(), name: 'shell', parameters }
          : { type: 'text', text: 'Done.' },
    };
    yield { type: 'call-end', reason: first === undefined ? 'stop' : 'tool-use' };
  },
};

async function stage(context: TestContext, directory: string) {
  const { dataDir } = new ForestFolder(context);
  const loom = await openWriter({ dataDir, files: false, providers: [runner] });
  const { terminal } = fakeTerminal();
  let shown = '';
  const column = new Column(
    (text) => (shown += text),
    styleFor(terminal, 'out'),
    false,
    () => 120,
  );
  const model = { name: 'runner/one', provider: 'runner', model: 'one' };
  const place = { directory, approval_mode: 'sandbox' as const };
  const conversation = new Conversation(loom, { model, settings: {}, compaction: 'off', place });
  const run = async (command: typeof useWorktree, rest = ''): Promise<string> => {
    shown = '';
    await command(rest, conversation, { loom, column });
    return shown;
  };
  const rest = async (): Promise<void> => {
    while (conversation.isBusy) await conversation.changed();
  };
  const isRunning = async (): Promise<void> => {
    const nodes = async () => [...((await conversation.state())?.nodes.values() ?? [])];
    // Its output is not in its line.
    while (
      !(await nodes()).some(({ tool, blocks }) => tool === 'running' && JSON.stringify(blocks).includes('111111102'))
    ) {
      await conversation.changed();
    }
  };
  const end = async (): Promise<void> => {
    conversation.close();
    await loom.close();
  };
  return { loom, conversation, run, rest, isRunning, end };
}

test('[CH88] a command that runs is stopped or moved to the background, and the last one runs again', async (context) => {
  const directory = realpathSync(temporaryDirectory(context));
  const { loom, conversation, run, rest, isRunning, end } = await stage(context, directory);
  try {
    await assert.rejects(run(directCommand, 'stop'), /no such command/u);
    await assert.rejects(run(directCommand, 'halt'), /takes stop, background or again/u);
    await conversation.say('echo $((12345678*9)); exec sleep 600');
    await isRunning();
    assert.match(await run(directCommand, 'stop'), /Stopped: echo .*sleep 600\. The answer goes on\./u);
    await rest();
    await conversation.say('echo $((12345678*9)); exec sleep 601');
    await isRunning();
    assert.match(await run(directCommand, 'background'), /goes on in the background: echo /u);
    await rest();
    const listed = await loom.call('process.list', {});
    assert.deepEqual(listed.ok ? listed.value.items.map(({ command }) => command) : [], [
      'echo $((12345678*9)); exec sleep 601',
    ]);
    await conversation.say('echo third >> made.txt');
    await rest();
    assert.match(await run(directCommand, 'again'), /^\$ echo third >> made\.txt\n.*separate branch/u);
    const outcomes = async (): Promise<number> =>
      [...((await conversation.state())?.nodes.values() ?? [])].filter(({ blocks }) =>
        blocks.some((block) => block.type === 'command' && block.command.includes('third') && block.status === 'done'),
      ).length;
    while ((await outcomes()) < 2) await conversation.changed();
  } finally {
    await end();
  }
});

test('[CH89] a conversation moves to a new worktree, which is merged back', async (context) => {
  const directory = realpathSync(temporaryDirectory(context));
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
      cwd: directory,
      encoding: 'utf8',
    });
  git('init', '-q');
  git('config', 'user.name', 't');
  git('config', 'user.email', 't@example.org');
  writeFileSync(join(directory, 'a.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const { conversation, run, end } = await stage(context, directory);
  try {
    const moved = await run(useWorktree, 'trial');
    const tree = conversation.directory ?? '';
    context.after(() => execFileSync('rm', ['-rf', tree]));
    assert.ok(moved.includes('on the branch loom/trial') && tree !== directory && existsSync(join(tree, 'a.txt')));
    writeFileSync(join(tree, 'b.txt'), 'two\n');
    assert.match(await run(useWorktree, 'merge'), /Merged into the branch/u);
    assert.ok(existsSync(join(directory, 'b.txt')));
  } finally {
    await end();
  }
});

test('[CH90] [CH91] the instructions of the folder and the tools of the provider are switched', async (context) => {
  const directory = realpathSync(temporaryDirectory(context));
  writeFileSync(join(directory, 'AGENTS.md'), 'Be kind.');
  const { conversation, run, rest, end } = await stage(context, directory);
  try {
    assert.match(await run(switchInstructions), /Models read from their next answer on:\n.*AGENTS\.md/u);
    assert.match(await run(switchInstructions, 'off'), /Switched off/u);
    assert.match(await run(chooseTools, '+web_search'), /at runner, without asking\n.*✔ web_search/u);
    await conversation.say('true');
    await rest();
    const config = (await conversation.state())?.config;
    assert.deepEqual([config?.['instructions'], config?.['provider_tools']], [false, ['web_search']]);
    assert.equal(config?.['tools'], undefined, 'the tools of Loom are as they were');
    await run(switchInstructions, 'on');
    await run(chooseTools, '-web_search');
    assert.deepEqual([conversation.hasInstructions, conversation.providerTools], [true, []]);
    await assert.rejects(run(switchInstructions, 'maybe'), /nothing, on or off/u);
  } finally {
    await end();
  }
});
