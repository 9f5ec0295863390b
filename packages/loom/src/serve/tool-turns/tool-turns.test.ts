import assert from 'node:assert/strict';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { CommandBlock, PlainObject } from '@loom/blocks';
import type { FollowedConversation, LoomClient } from '@loom/client';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { createTools } from '@loom/tools';
import { z } from 'zod';
import { configRules } from '../../config/rule-port.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { clientOf, serve, valueOf } from '../testing/served.ts';

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

/** A server with a model that makes the given calls, one in each turn, in a folder. */
async function createStage(t: TestContext, config: PlainObject = {}) {
  const calls: { name: string; parameters: PlainObject }[] = [];
  const provider: Provider = {
    id: 'caller',
    async *stream({ messages }): AsyncGenerator<ProviderEvent> {
      yield { type: 'call-start' };
      const next = messages.at(-1)?.role === 'user' ? calls.shift() : undefined;
      const block =
        next === undefined
          ? { type: 'text' as const, text: 'Done.' }
          : { type: 'tool-use' as const, id: `c${messages.length}`, ...next };
      yield { type: 'block', message: 'm', role: 'assistant', block };
      yield { type: 'call-end', reason: next === undefined ? 'stop' : 'tool-use' };
    },
  };
  const dataDir = temporaryDirectory(t);
  const rules = configRules({ dataDir, clock: systemClock });
  const { url, token, engine } = await serve(t, {
    providers: [provider],
    rules,
    tools: (_folder, processes) =>
      createTools({
        clock: systemClock,
        processes,
        environment: process.env,
        platform: process.platform,
        dataDir,
        rules,
      }),
  });
  const client = clientOf(url, token);
  const directory = realpathSync(temporaryDirectory(t));
  const { root } = valueOf(await client.call('root.create', { config: { directory, ...config } }));
  let parent = root;
  const start = async (name: string, parameters: PlainObject): Promise<string> => {
    calls.push({ name, parameters });
    const messages = [{ role: 'user' as const, content: 'Go on.' }];
    const { nodes } = valueOf(await client.call('node.append', { parent, messages }));
    const tools = ['shell', 'shell_output', 'shell_kill', 'write', 'read'];
    const started = await client.call('turn.start', { node: nodes[0] ?? '', provider: 'caller', model: 'm', tools });
    return valueOf(started).turns[0] ?? '';
  };
  /** Waits for the end of a turn; returns the result of its call. */
  const ended = async (turn: string) => {
    assert.deepEqual(valueOf(await client.call('turn.wait', { root, turn })), { ended: 'done' });
    const nodes = [...(await engine.forest.log(root).state()).nodes.values()];
    parent = nodes.at(-1)?.id ?? root;
    return nodes.filter(({ role }) => role === 'tool').at(-1);
  };
  const waiting = () => until(async () => valueOf(await client.call('turn.waiting', {})).items[0]);
  return { client, root, directory, start, ended, waiting, rules };
}

test('[PM11][PM12][OP110] "always" stores the rule that was shown; what it covers runs unasked from then on, and the audit says because of which rule', async (t) => {
  const { client, directory, start, ended, waiting, rules } = await createStage(t);
  const first = await start('shell', { command: 'git status' });
  const { node, arguments: exact, ask } = await waiting();
  assert.deepEqual(ask.rules, [{ tool: 'shell', command: 'git status *', effect: 'allow' }]);
  valueOf(await client.call('turn.decide', { node, decision: 'approved', arguments: exact, scope: 'folder' }));
  await ended(first);
  const stored = { tool: 'shell', command: 'git status *', directory, effect: 'allow' };
  const known = (await rules.list()).map(({ rule }) => rule);
  assert.deepEqual(known, [stored]);
  await ended(await start('shell', { command: 'git status -s' }));
  const audit = valueOf(await client.call('approval.list', {})).items;
  assert.deepEqual(
    audit.map(({ by, scope, rule }) => [by, scope, rule]),
    [
      [undefined, undefined, stored],
      ['person', 'folder', undefined],
    ],
  );
  const used = async () => valueOf(await client.call('permission.list', {})).items.map(({ uses }) => uses);
  assert.deepEqual(await used(), [1]);
  const turn = await start('shell', { command: 'git status; true' });
  const joined = await waiting();
  assert.equal(joined.ask.rules, undefined, 'no rule is offered for joined commands');
  valueOf(await client.call('turn.decide', { node: joined.node, decision: 'denied', arguments: joined.arguments }));
  await ended(turn);
  assert.deepEqual(await used(), [1], 'only calls that the rule decided about count');
  const asking = { tool: 'shell', command: 'git branch', effect: 'ask' as const };
  const denying = { tool: 'shell', command: 'git diff *', effect: 'deny' as const };
  for (const rule of [asking, denying]) valueOf(await client.call('permission.add', { rule }));
  const about = await start('shell', { command: 'git branch' });
  const question = await waiting();
  assert.deepEqual(await used(), [1, 1, 0], 'a rule that asks counts once it has asked');
  const no = { node: question.node, decision: 'denied' as const, arguments: question.arguments };
  valueOf(await client.call('turn.decide', no));
  await ended(about);
  await ended(await start('shell', { command: 'git diff HEAD' }));
  assert.deepEqual(await used(), [1, 1, 1], 'and one that denies');
  const [{ id } = { id: '' }] = await rules.list();
  assert.deepEqual(valueOf(await client.call('permission.remove', { id })), { removed: true });
  const again = await start('shell', { command: 'git status' });
  const asked = await waiting();
  valueOf(await client.call('turn.decide', { node: asked.node, decision: 'denied', arguments: asked.arguments }));
  await ended(again);
});

test('[OP111] rules are added and tried out by their owner, and a pattern that covers more than it seems is refused', async (t) => {
  const { client, rules } = await createStage(t);
  const rule = { tool: 'shell', command: 'npm test *', effect: 'allow' as const };
  valueOf(await client.call('permission.add', { rule }));
  const [{ id } = { id: '' }] = await rules.list();
  const listed = valueOf(await client.call('permission.list', {}));
  assert.deepEqual(listed, { items: (await rules.list()).map((stored) => ({ ...stored, uses: 0 })) });
  const tried = async (command: string) => valueOf(await client.call('permission.test', { tool: 'shell', command }));
  assert.deepEqual(await tried('npm test --watch'), { permission: 'run', rule, reason: 'A rule allows it.' });
  assert.deepEqual(await tried('npm test; rm x'), { permission: 'ask', reason: 'No rule allows it.' });
  // Calls that are more dangerous than the rule shows, or about keys, ask here as they do in a turn.
  assert.match((await tried("npm test -- --import='data:,x'")).reason, /^It runs a program or code/u);
  valueOf(await client.call('permission.add', { rule: { ...rule, command: 'rm *' } }));
  assert.deepEqual(await tried('rm -rf build').then(({ permission, reason }) => [permission, /undone/u.test(reason)]), [
    'ask',
    true,
  ]);
  const file = async (tool: string, path: string) =>
    valueOf(await client.call('permission.test', { tool, path })).permission;
  assert.deepEqual(
    [await file('read', 'a.txt'), await file('read', '.env'), await file('write', '.git/hooks/x')],
    ['run', 'ask', 'ask'],
  );
  const wide = await client.call('permission.add', { rule: { ...rule, command: 'npm test; *' } });
  assert.equal(wide.ok ? '' : wide.refusal.reason, 'invalid-params');
  assert.deepEqual(valueOf(await client.call('permission.remove', { id })), { removed: true });
});

test('[SH9][TU123] the command of a card runs again because its owner says so, below the old result, and that stays', async (t) => {
  const { client, root, directory, start, ended, waiting } = await createStage(t);
  const command = 'echo run >> count; wc -l < count; exit 2';
  const first = await start('shell', { command });
  const { node, arguments: exact } = await waiting();
  valueOf(await client.call('turn.decide', { node, decision: 'approved', arguments: exact }));
  await ended(first);
  const other = await client.call('command.run_again', { node, command: 'rm x' });
  assert.equal(other.ok ? '' : other.refusal.reason, 'invalid-params');
  const none = await client.call('command.run_again', { node: `${root}/node-1` });
  assert.equal(none.ok ? '' : none.refusal.reason, 'invalid-params');
  const again = z
    .object({ turn: z.string(), node: z.string() })
    .parse(valueOf(await client.call('command.run_again', { node, command })));
  assert.deepEqual(valueOf(await client.call('turn.wait', { root, turn: again.turn })), { ended: 'done' });
  const { nodes } = valueOf(await client.call('node.path', { node: again.node }));
  assert.equal(nodes.at(-2)?.id, node, 'it begins below the old result');
  const result = await ended(again.turn);
  const [block] = result?.blocks ?? [];
  assert.ok(block?.type === 'command');
  assert.deepEqual([block.command, block.stdout, block.exit_code], [command, '2\n', 2]);
  assert.equal(readFileSync(join(directory, 'count'), 'utf8'), 'run\nrun\n');
  const [approved] = valueOf(await client.call('approval.list', { root })).items;
  assert.deepEqual([approved?.decision, approved?.by, approved?.node], ['approved', 'person', result?.id]);
});

test('[SH10] a person stops a command alone: its turn goes on, and the model reads what it printed and who stopped it', async (t) => {
  const { client, start, ended, waiting } = await createStage(t);
  const turn = await start('shell', { command: 'echo begun; sleep 1000' });
  const { node, arguments: exact } = await waiting();
  const early = await client.call('command.stop', { node });
  assert.equal(early.ok ? '' : early.refusal.reason, 'process-not-found');
  valueOf(await client.call('turn.decide', { node, decision: 'approved', arguments: exact }));
  await until(async () => ((await client.call('command.stop', { node })).ok ? true : undefined));
  const { blocks = [] } = (await ended(turn)) ?? {};
  const [shown, told] = blocks;
  assert.ok(shown?.type === 'command' && told?.type === 'text');
  assert.match(told.text, /\[a person stopped this command/u);
});

test('[SH11] an owner lets a command go on in the background: its turn goes on, and it ends when it likes', async (t) => {
  const { client, root, directory, start, ended, waiting } = await createStage(t);
  const command = 'echo begun; until [ -e go ]; do sleep 0.01; done; echo over';
  const turn = await start('shell', { command, timeout_ms: 600_000 });
  const { node, arguments: exact } = await waiting();
  valueOf(await client.call('turn.decide', { node, decision: 'approved', arguments: exact }));
  await until(async () => {
    const { message } = valueOf(await client.call('node.get', { node }));
    return JSON.stringify(message.content).includes('begun\\n') ? true : undefined;
  });
  const { id } = valueOf(await client.call('command.move_to_background', { node }));
  const { blocks = [] } = (await ended(turn)) ?? {};
  const [shown, told] = blocks;
  assert.ok(shown?.type === 'command' && told?.type === 'text');
  assert.deepEqual([shown.stdout, shown.status, shown.exit_code], ['begun\n', 'done', undefined]);
  assert.ok(told.text.includes(id));
  const listed = async () => valueOf(await client.call('process.list', { root })).items.find((one) => one.id === id);
  assert.equal((await listed())?.state, 'running');
  writeFileSync(join(directory, 'go'), '');
  const over = await until(async () => [await listed()].find((one) => one?.state === 'exited'));
  assert.deepEqual([over.exit_code, over.tail], [0, 'begun\nover\n']);
  const late = await client.call('command.move_to_background', { node });
  assert.equal(late.ok ? '' : late.refusal.reason, 'process-not-found');
});
