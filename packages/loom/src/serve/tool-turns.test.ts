import assert from 'node:assert/strict';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandBlock } from '@loom/blocks';
import type { FollowedConversation, LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { createTools } from '@loom/tools';
import { systemClock } from '../runtime/system-clock.ts';
import { clientOf, serve, valueOf } from './testing/served.ts';

/** The command of a conversation as a client sees it now. */
function commandIn({ replica }: FollowedConversation): CommandBlock | undefined {
  for (const { blocks } of replica.nodes.values()) {
    for (const block of blocks) if (block.type === 'command') return block;
  }
  return undefined;
}

async function until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function approveNext(client: LoomClient): Promise<string> {
  const call = await until(async () => valueOf(await client.call('turn.waiting', {})).items[0]);
  const { node, arguments: exact } = call;
  valueOf(await client.call('turn.decide', { node, decision: 'approved', arguments: exact }));
  const [shown] = call.ask.preview;
  return shown?.type === 'command' ? shown.command : '';
}

for (const { name, wire, model, path, make } of emulatedProviders.filter((each) =>
  /^(?:anthropic|openai)$/u.test(each.name),
)) {
  test(`[SH6] a model that speaks as ${name} does runs a command that a person approves, and a second client sees its output while it runs`, async (t) => {
    const command = 'echo one; until [ -e go ]; do sleep 0.01; done; echo two >&2; exit 4';
    const emulator = await startEmulator(wire, ({ rounds }) =>
      rounds === 0
        ? { said: [{ call: 'shell', arguments: JSON.stringify({ command }), id: 'call_1' }] }
        : { said: [{ say: 'It has run.' }] },
    );
    t.after(() => emulator.close());
    const provider = make({
      baseURL: `${emulator.url}${path}`,
      key: async () => 'key',
      random: Math.random,
      clock: systemClock,
    });
    const { url, token } = await serve(t, {
      providers: [provider],
      tools: (dataDir, processes) =>
        createTools({ clock: systemClock, processes, environment: process.env, platform: process.platform, dataDir }),
    });
    const [first, second] = [clientOf(url, token), clientOf(url, token, 'events')];
    const directory = realpathSync(temporaryDirectory(t));
    const { root } = valueOf(await first.call('root.create', { config: { directory } }));
    const messages = [{ role: 'user' as const, content: 'Run it.' }];
    const { nodes } = valueOf(await first.call('node.append', { parent: root, messages }));
    const followed = second.follow(root);
    assert.equal(await followed.ready(), true);
    const { turns } = valueOf(
      await first.call('turn.start', { node: nodes[0] ?? '', provider: provider.id, model, tools: ['shell'] }),
    );
    assert.equal(await approveNext(first), command);
    const running = await until(() => [commandIn(followed)].find((block) => block?.stdout === 'one\n'));
    assert.deepEqual([running.status, running.exit_code], ['running', undefined]);
    writeFileSync(join(directory, 'go'), '');
    assert.deepEqual(valueOf(await first.call('turn.wait', { root, turn: turns[0] ?? '' })), { ended: 'done' });
    const ended = await until(() => [commandIn(followed)].find((block) => block?.status === 'done'));
    assert.deepEqual([ended.stdout, ended.stderr, ended.exit_code], ['one\n', 'two\n', 4]);
    const seen = emulator.requests.at(-1)?.body ?? '';
    for (const words of ['one\\\\n', 'two\\\\n', 'exit code 4']) assert.match(seen, new RegExp(words, 'u'), seen);
    followed.close();
  });
}
