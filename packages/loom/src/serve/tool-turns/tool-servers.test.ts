import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { createTools } from '@loom/tools';
import { configRules } from '../../config/rule-port.ts';
import { configToolSettings } from '../../host/tool-settings.ts';
import { createModels } from '../../models/models.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { clientOf, serve, valueOf } from '../testing/served.ts';

const program = join(import.meta.dirname, '../../../../tools/src/testing/stand-in-server.ts');

const query = (description = 'Asks the database.') => ({
  name: 'query',
  description,
  inputSchema: { type: 'object', properties: { sql: { type: 'string' } } },
});

/** A data folder whose settings name a server. */
function createFolder(t: TestContext) {
  const dataDir = temporaryDirectory(t);
  const file = join(dataDir, 'tools.json');
  const list = (...tools: object[]): void => writeFileSync(file, JSON.stringify(tools));
  list(query());
  const server = `[[mcp_servers]]\nname = "db"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program, file])}\n`;
  writeFileSync(join(dataDir, 'config.toml'), server);
  const models = createModels({ dataDir, env: {}, clock: systemClock });
  const settings = configToolSettings({ dataDir, read: () => models.config() });
  const rules = configRules({ dataDir, clock: systemClock });
  return { dataDir, list, settings, rules };
}

const name = 'db__query';

/** Approves the next call that waits; returns the text of its preview. */
async function approve(client: LoomClient): Promise<string> {
  for (;;) {
    const [call] = valueOf(await client.call('turn.waiting', {})).items;
    if (call === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    valueOf(await client.call('turn.decide', { node: call.node, decision: 'approved', arguments: call.arguments }));
    return JSON.stringify(call.ask);
  }
}

for (const { name: vendor, wire, model, path, make } of emulatedProviders.filter((each) =>
  /^(?:anthropic|openai)$/u.test(each.name),
)) {
  test(`[MS1] [MS2] a model that speaks as ${vendor} does calls a tool of a server that a person approves; a second client sees the result`, async (t) => {
    const { rules, settings } = createFolder(t);
    const emulator = await startEmulator(wire, ({ rounds }) =>
      rounds === 0
        ? { said: [{ call: name, arguments: '{"sql":"select 1"}', id: 'call_1' }] }
        : { said: [{ say: 'It says so.' }] },
    );
    t.after(() => emulator.close());
    const key = async (): Promise<string> => 'key';
    const provider = make({ baseURL: `${emulator.url}${path}`, key, random: Math.random, clock: systemClock });
    const { url, token } = await serve(t, {
      providers: [provider],
      rules,
      tools: (_folder, processes) => {
        const ports = { clock: systemClock, processes, environment: process.env, platform: process.platform };
        return createTools({ ...ports, rules, settings });
      },
    });
    const [first, second] = [clientOf(url, token), clientOf(url, token, 'events')];
    const { root } = valueOf(await first.call('root.create', { config: {} }));
    const offered = valueOf(await first.call('tool.list', { root, provider: provider.id, model, offered: true }));
    const [row] = offered.items.filter((tool) => tool.server === 'db');
    assert.deepEqual([row?.name, row?.effect], [name, 'changes']);
    const followed = second.follow(root);
    const messages = [{ role: 'user' as const, content: 'Ask it.' }];
    const { nodes } = valueOf(await first.call('node.append', { parent: root, messages }));
    const start = { node: nodes[0] ?? '', provider: provider.id, model, tools: [name] };
    const { turns } = valueOf(await first.call('turn.start', start));
    assert.match(
      await approve(first),
      /Calls query of the server db, which runs on this computer with your own rights/u,
    );
    assert.deepEqual(valueOf(await first.call('turn.wait', { root, turn: turns[0] ?? '' })), { ended: 'done' });
    assert.match(emulator.requests.at(-1)?.body ?? '', /query got/u);
    while (![...followed.replica.nodes.values()].some(({ blocks }) => JSON.stringify(blocks).includes('query got')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    followed.close();
  });
}

test('[MS3] [MS5] [MS7] a person sees, restarts and switches servers and reviews what changed; no model and no writer does', async (t) => {
  const { rules, settings, list, dataDir } = createFolder(t);
  const { url, token, engine } = await serve(t, {
    rules,
    tools: (_folder, processes) => {
      const ports = { clock: systemClock, processes, environment: process.env, platform: process.platform };
      return createTools({ ...ports, rules, settings });
    },
  });
  const client = clientOf(url, token);
  const why = async () => {
    const { items } = valueOf(await client.call('tool.list', { provider: 'anthropic', model: 'claude-sonnet-5' }));
    return items.find((tool) => tool.name === name)?.why_not;
  };
  const server = async () => {
    const [first] = valueOf(await client.call('mcp.list', {})).items;
    assert.ok(first !== undefined);
    return first;
  };
  const ready = async () => {
    while ((await server()).state !== 'ready') await new Promise((resolve) => setTimeout(resolve, 5));
    return server();
  };
  assert.equal(await why(), undefined);
  valueOf(await client.call('tool.switch', { names: [name], on: false }));
  assert.equal(await why(), 'off');
  assert.match(readFileSync(join(dataDir, 'config.toml'), 'utf8'), /off = \["db__query"\]/u);
  valueOf(await client.call('tool.switch', { names: [name], on: true }));
  const unknown = await client.call('tool.switch', { names: ['nothing'], on: false });
  assert.match(JSON.stringify(unknown), /nothing is no tool or server/u);

  list(query('Asks the database, and sends it on.'));
  valueOf(await client.call('mcp.restart', { name: 'db' }));
  const [tool] = (await ready()).tools;
  assert.ok(tool !== undefined);
  assert.deepEqual([tool.withheld, tool.before?.description], ['changed', 'Asks the database.']);
  assert.equal(await why(), 'changed');
  const { description, parameters } = tool;
  const stale = await client.call('tool.review', { name, description: 'Asks the database.', parameters });
  assert.match(JSON.stringify(stale), /no longer what the server says/u);
  assert.equal(await why(), 'changed');
  assert.deepEqual(valueOf(await client.call('tool.review', { name, description, parameters })), { accepted: true });
  assert.equal(await why(), undefined);

  const kinds = valueOf(await client.call('mcp.log', { name: 'db' })).lines.map(({ kind }) => kind);
  assert.ok(kinds.includes('started') && kinds.includes('stderr') && kinds.includes('ready'), kinds.join(' '));
  valueOf(await client.call('tool.switch', { names: ['db__*'], on: false }));
  assert.equal((await server()).state, 'off');
  assert.equal(await why(), undefined, 'a server that is off has no tools');

  for (const caller of [
    { agent: 'model', type: 'model', role: 'owner', id: 'm', door: 'library' },
    { agent: 'person', type: 'person', role: 'writer', id: 'w', door: 'library' },
  ] as const) {
    const outcomes = [
      await engine.call('tool.switch', caller, { names: ['shell'], on: false }),
      await engine.call('tool.review', caller, { name, description, parameters }),
      await engine.call('mcp.restart', caller, { name: 'db' }),
    ];
    for (const outcome of outcomes)
      assert.equal(outcome.ok ? '' : outcome.refusal.reason, 'not-permitted', caller.type);
  }
});

test('[MS5] a tool that is switched off while its call waits for a person does not run', async (t) => {
  const { rules, settings } = createFolder(t);
  const [{ wire, path, make, model } = assert.fail()] = emulatedProviders.filter((each) => each.name === 'anthropic');
  const emulator = await startEmulator(wire, ({ rounds }) =>
    rounds === 0 ? { said: [{ call: name, arguments: '{}', id: 'call_1' }] } : { said: [{ say: 'So be it.' }] },
  );
  t.after(() => emulator.close());
  const key = async (): Promise<string> => 'key';
  const provider = make({ baseURL: `${emulator.url}${path}`, key, random: Math.random, clock: systemClock });
  const { url, token } = await serve(t, {
    providers: [provider],
    rules,
    tools: (_folder, processes) => {
      const ports = { clock: systemClock, processes, environment: process.env, platform: process.platform };
      return createTools({ ...ports, rules, settings });
    },
  });
  const client = clientOf(url, token);
  const { root } = valueOf(await client.call('root.create', { config: {} }));
  valueOf(await client.call('tool.list', { limit: 1 }));
  const messages = [{ role: 'user' as const, content: 'Ask it.' }];
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages }));
  const start = { node: nodes[0] ?? '', provider: provider.id, model, tools: [name] };
  const { turns } = valueOf(await client.call('turn.start', start));
  while (valueOf(await client.call('turn.waiting', {})).items.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  valueOf(await client.call('tool.switch', { names: [name], on: false }));
  await approve(client);
  valueOf(await client.call('turn.wait', { root, turn: turns[0] ?? '' }));
  const last = emulator.requests.at(-1)?.body ?? '';
  assert.doesNotMatch(last, /query got/u);
  assert.match(last, /switched it off in all conversations|no tool named/u);
});
