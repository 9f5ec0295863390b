import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Caller, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { LoomEngine } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { createModels } from '../models/models.ts';
import { wire } from '../runtime/opened-folder.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { hostOperations } from './host-operations.ts';

const rightKey = 'canary-right-4b1dface';
const wrongKey = 'canary-wrong-4b1dface';

/** Starts a provider that repeats to every caller the key that it was sent; by default it answers with a list of models. */
async function startProvider(t: TestContext, answer: (request: IncomingMessage) => number | object): Promise<string> {
  const server = createServer((request, response) => {
    const said = answer(request);
    const [status, body] = typeof said === 'number' ? [said, { error: JSON.stringify(request.headers) }] : [200, said];
    response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:9/' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : assert.fail();
}

/** Opens the operations over a fresh folder. No answer may hold a key. */
function open(t: TestContext, env: Record<string, string> = {}) {
  const dataDir = temporaryDirectory(t);
  const models = createModels({ dataDir, env, clock: systemClock });
  const store = createMemoryStore({ now: Date.now });
  const engine = new LoomEngine({ ...wire({ models, operations: hostOperations(models) }), store });
  t.after(() => engine.close());
  let requests = 0;
  const ask = async <Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    given: Partial<Caller> = {},
  ): Promise<Outcome<ResultOf<Name>>> => {
    const id = `request-${(requests += 1)}`;
    const caller: Caller = { agent: 'person', type: 'person', role: 'owner', door: 'http', id, ...given };
    const outcome = await engine.call(name, caller, params);
    assert.doesNotMatch(JSON.stringify(outcome), /canary/u, name);
    return outcome;
  };
  const value = async <Name extends string>(name: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>> => {
    const outcome = await ask(name, params);
    return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
  };
  return { ask, value, dataDir, config: join(dataDir, 'config.toml') };
}

function reasonOf(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'done' : outcome.refusal.reason;
}

const kinds = [
  { kind: 'anthropic', header: 'x-api-key', path: '/v1/models?limit=1' },
  { kind: 'openai', header: 'authorization', path: '/v1/models' },
  { kind: 'google', header: 'x-goog-api-key', path: '/v1beta/models?pageSize=1' },
  { kind: 'compatible', header: 'authorization', path: '/v1/models' },
] as const;

for (const { kind, header, path } of kinds) {
  test(`[OP31] ${kind}: a key is checked at once, and kept unless its provider refuses it`, async (t) => {
    const asked: string[] = [];
    const url = await startProvider(t, ({ url: target = '', headers }) => {
      asked.push(target);
      const sent = headers[header]?.toString().replace('Bearer ', '');
      return sent === rightKey ? { data: [] } : kind === 'google' ? 403 : 401;
    });
    const { value, config } = open(t);
    await value('setting.set', { key: 'providers.mine.kind', value: kind });
    await value('setting.set', { key: 'providers.mine.baseURL', value: url });
    const refused = await value('provider.set_key', { provider: 'mine', key: wrongKey });
    assert.deepEqual(refused, { saved: false, check: { state: 'wrong', message: 'mine does not take the key.' } });
    assert.doesNotMatch(readFileSync(config, 'utf8'), /canary/u);
    const kept = await value('provider.set_key', { provider: 'mine', key: ` ${rightKey} ` });
    assert.deepEqual(kept, { saved: true, check: { state: 'works', message: 'mine takes the key.' } });
    assert.match(readFileSync(config, 'utf8'), new RegExp(`apiKey = "${rightKey}"`, 'u'));
    assert.equal((await value('provider.check', { provider: 'mine' })).state, 'works');
    assert.ok(
      asked.every((target) => target === path),
      asked.join(' '),
    );
    const mine = (await value('provider.list', {})).items.find(({ name }) => name === 'mine');
    assert.deepEqual([mine?.usable, mine?.key], [true, 'file']);
    const setting = (await value('setting.list', {})).items.find(({ key }) => key === 'providers.mine.apiKey');
    assert.deepEqual([setting?.secret, setting?.origin, setting?.value], [true, 'file', undefined]);
  });
}

test('[OP31] a key that cannot be checked is kept, and that is said; a redirect is not followed with the key', async (t) => {
  const { value, ask, config } = open(t);
  for (const status of [302, 404, 500]) {
    const url = await startProvider(t, () => status);
    await value('setting.set', { key: 'providers.mine.baseURL', value: url });
    const { saved, check } = await value('provider.set_key', { provider: 'mine', key: rightKey });
    assert.deepEqual([saved, check.state], [true, 'unknown']);
    assert.match(check.message, new RegExp(`status ${status}`, 'u'));
  }
  const text = readFileSync(config, 'utf8');
  for (const key of ['', 'a b', 'é', 'x'.repeat(1001), 'a\nb'])
    assert.equal(reasonOf(await ask('provider.set_key', { provider: 'mine', key })), 'invalid-params', key);
  assert.equal(reasonOf(await ask('provider.set_key', { provider: '__proto__', key: 'k' })), 'unknown-provider');
  assert.equal(reasonOf(await ask('provider.check', { provider: 'none' })), 'unknown-provider');
  for (const role of ['reader', 'appender', 'writer'] as const)
    assert.equal(reasonOf(await ask('provider.set_key', { provider: 'mine', key: 'k' }, { role })), 'not-permitted');
  assert.equal(readFileSync(config, 'utf8'), text);
});

test('[OP30] models are listed with what is known of them, the usable ones first, and a server on this machine is found', async (t) => {
  const url = await startProvider(t, ({ url: path }) =>
    path === '/api/tags'
      ? { models: [{ name: 'llama3:8b', model: 'llama3:8b' }] }
      : path === '/v1/models'
        ? { data: [{ id: 'llama3:8b' }] }
        : 404,
  );
  const { value, ask } = open(t, { OPENAI_API_KEY: rightKey, OLLAMA_HOST: url });
  await value('setting.set', { key: 'defaults.liveModels', value: false });
  const { items: providers } = await value('provider.list', {});
  const facts = new Map(providers.map(({ name, usable, key, local }) => [name, { usable, key, local }]));
  assert.deepEqual(facts.get('openai'), { usable: true, key: 'environment', local: false });
  assert.deepEqual(facts.get('ollama'), { usable: true, key: 'none', local: true });
  assert.deepEqual(facts.get('anthropic'), { usable: false, key: 'none', local: false });
  const page = await value('model.list', { limit: 3 });
  assert.equal(page.default, 'openai/gpt-5.4-mini');
  const all: ResultOf<'model.list'>['items'] = [...page.items];
  for (let { next } = page; next !== undefined;) {
    const more = await value('model.list', { after: next });
    all.push(...more.items);
    next = more.next;
  }
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  const firstUnusable = all.findIndex(({ usable }) => !usable);
  assert.ok(all.slice(firstUnusable).every(({ usable }) => !usable));
  const local = all.find(({ name }) => name === 'ollama/llama3:8b');
  assert.deepEqual([local?.usable, local?.model, local?.price], [true, 'llama3:8b', { input: 0, output: 0 }]);
  const mini = all.find(({ name }) => name === page.default);
  assert.ok((mini?.context ?? 0) > 100_000 && (mini?.price?.input ?? 0) > 0, JSON.stringify(mini));
  const found = await value('model.list', { query: 'GPT mini', provider: 'openai', usable: true });
  assert.ok(found.items.length > 0 && found.items.every(({ name }) => /gpt.*mini|mini.*gpt/u.test(name)));
  assert.deepEqual((await value('model.list', { query: 'nothing is called so' })).items, []);
  assert.equal(reasonOf(await ask('model.list', { query: 'a '.repeat(101) })), 'invalid-params');
});

test('[OP32] settings are read and written with everything else in the file as it is, and secrets are not told', async (t) => {
  const { value, ask, config, dataDir } = open(t, { ANTHROPIC_API_KEY: rightKey });
  const text = `# mine\n[defaults]\nmodel = "demo" # for now\n\n[providers.openai]\nbaseURL = "https://me:canary-password@example.test/v1"\n`;
  writeFileSync(config, text, { mode: 0o600 });
  assert.deepEqual(await value('setting.set', { key: 'defaults.model', value: 'demo:terse' }), {
    changed: true,
    notes: [],
  });
  assert.equal(readFileSync(config, 'utf8'), text.replace('"demo"', '"demo:terse"'));
  const { items } = await value('setting.list', {});
  const found = new Map(items.map(({ key, value: set, origin }) => [key, [set, origin]]));
  assert.deepEqual(found.get('defaults.model'), ['demo:terse', 'file']);
  assert.deepEqual(found.get('defaults.titleModel'), [undefined, 'none']);
  assert.deepEqual(found.get('defaults.maxTokens'), [undefined, 'none']);
  assert.deepEqual(found.get('providers.anthropic.apiKey'), [undefined, 'environment']);
  const { notes } = await value('setting.set', { key: 'providers.anthropic.apiKey', value: 'k' });
  assert.match(notes.join(), /ANTHROPIC_API_KEY is set in the environment/u);
  assert.deepEqual((await value('setting.unset', { key: 'providers.anthropic.apiKey' })).changed, true);
  assert.deepEqual((await value('setting.unset', { key: 'defaults.titleModel' })).changed, false);
  const before = readFileSync(config, 'utf8');
  const wrong: [key: string, value: string | number | boolean | string[]][] = [
    ['defaults', 'x'],
    ['defaults.modle', 'x'],
    ['__proto__.x', 'x'],
    ['providers.a.constructor', 'x'],
    ['a b', 'x'],
    ['defaults.n', 0],
    ['defaults.n', 'many'],
    ['defaults.model', 5],
    ['defaults.model', ['a']],
    ['providers.a.models', 'one'],
    ['providers.a.key_command', 'touch it'],
    ['mcp_servers.x.command', 'touch it'],
  ];
  for (const [key, given] of wrong)
    assert.equal(reasonOf(await ask('setting.set', { key, value: given })), 'invalid-params', key);
  assert.equal(reasonOf(await ask('setting.unset', { key: 'providers.a.key_command' })), 'invalid-params');
  assert.equal(readFileSync(config, 'utf8'), before);
  const atTerminal = { key: 'providers.a.key_command', value: 'pass show a' };
  assert.equal(reasonOf(await ask('setting.set', atTerminal, { door: 'command' })), 'done');
  assert.equal(reasonOf(await ask('setting.list', {}, { role: 'writer' })), 'not-permitted');
  assert.equal(reasonOf(await ask('setting.list', {}, { roots: [] })), 'not-permitted');
  writeFileSync(config, `[providers.openai]\napiKey = "canary-unclosed`);
  for (const name of ['setting.list', 'model.list', 'provider.list', 'preset.list'] as const) {
    const refused = await ask(name, {});
    assert.equal(reasonOf(refused), 'settings-failed', name);
    assert.ok(!JSON.stringify(refused).includes(dataDir));
  }
});

test('[OP33] presets are listed as turns take them, over the defaults', async (t) => {
  const { value, config } = open(t);
  const text = `activePresetName = "wild"\n[defaults]\nmodel = "demo"\ntemperature = 0.1\nmaxTokens = 100\nsystemPrompt = "Be brief."\n[presets.wild]\ntemperature = 0.9\nn = 3\n[presets.deep]\nmodel = "demo:slow"\nreasoning = "high"\n`;
  writeFileSync(config, text, { mode: 0o600 });
  assert.deepEqual(await value('preset.list', {}), {
    items: [
      { name: 'wild', active: true, model: 'demo', n: 3, settings: { temperature: 0.9, maxTokens: 100 } },
      {
        name: 'deep',
        active: false,
        model: 'demo:slow',
        n: 1,
        settings: { temperature: 0.1, reasoning: 'high', maxTokens: 100 },
      },
    ],
    defaults: {
      model: 'demo',
      n: 1,
      settings: { temperature: 0.1, maxTokens: 100 },
      system_prompt: 'Be brief.',
    },
  });
});

test('[OP34] the sizes of the data folder are told by part, to those that may use all conversations', async (t) => {
  const { value, ask, config } = open(t);
  writeFileSync(config, '#'.repeat(1234));
  const { total, parts } = await value('data.sizes', {});
  assert.deepEqual([total, parts.find(({ part }) => part === 'other files')?.bytes], [1234, 1234]);
  assert.equal(reasonOf(await ask('data.sizes', {}, { roots: ['root-1'] })), 'not-permitted');
  assert.equal(reasonOf(await ask('data.sizes', {}, { role: 'writer' })), 'not-permitted');
});

/** A place where a secret of the provider may stand, before its address is changed over the network. */
const secretPlaces: { name: string; files: Record<string, string>; env: Record<string, string>; isRefused: boolean }[] =
  [
    {
      name: 'a key in config.toml',
      files: { 'config.toml': `[providers.openai]\napiKey = "${rightKey}"\n` },
      env: {},
      isRefused: false,
    },
    {
      name: 'a header in config.toml',
      files: { 'config.toml': `[providers.openai]\nheaders = { "x-gateway" = "${rightKey}" }\n` },
      env: {},
      isRefused: false,
    },
    {
      name: 'a key in another file',
      files: { 'config.keys.toml': `[providers.openai]\napiKey = "${rightKey}"\n` },
      env: {},
      isRefused: true,
    },
    { name: 'a key in the environment', files: {}, env: { OPENAI_API_KEY: rightKey }, isRefused: true },
    {
      name: 'a program that prints it',
      files: { 'config.toml': `[providers.openai]\nkey_command = ["printf", "${rightKey}"]\n` },
      env: {},
      isRefused: true,
    },
  ];

for (const { name, files, env, isRefused } of secretPlaces) {
  test(`[OP45] ${name} is never sent to an address that was set over the network`, async (t) => {
    const sent: string[] = [];
    const url = await startProvider(t, ({ headers }) => {
      sent.push(JSON.stringify(headers));
      return { data: [] };
    });
    const { ask, value, dataDir, config } = open(t, env);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dataDir, file), text, { mode: 0o600 });
    for (const kind of ['anthropic', 'google', 'compatible'] as const) {
      const turned = await ask('setting.set', { key: 'providers.openai.kind', value: kind });
      assert.equal(reasonOf(turned), isRefused ? 'invalid-params' : 'done', kind);
      if (isRefused) continue;
      await value('setting.unset', { key: 'providers.openai.kind' });
      for (const [file, text] of Object.entries(files)) writeFileSync(join(dataDir, file), text, { mode: 0o600 });
    }
    const set = { key: 'providers.openai.baseURL', value: url };
    const moved = await ask('setting.set', set);
    // After a refusal the address is still the vendor's, which no test asks.
    if (!isRefused) await ask('provider.check', { provider: 'openai' });
    assert.doesNotMatch(sent.join(), /canary/u);
    if (isRefused) {
      assert.match(JSON.stringify(moved), /would be sent to another address/u);
      assert.equal(
        reasonOf(await ask('setting.set', set, { door: 'command' })),
        'done',
        'the owner of the machine may',
      );
      await ask('provider.check', { provider: 'openai' });
      assert.match(sent.join(), /canary/u);
      assert.equal(
        reasonOf(await ask('setting.unset', { key: set.key })),
        'invalid-params',
        'nor is it sent elsewhere',
      );
      return;
    }
    assert.match(moved.ok ? moved.value.notes.join() : '', /was removed: it was given for the address before/u);
    assert.doesNotMatch(readFileSync(config, 'utf8'), /canary/u);
    await value('provider.set_key', { provider: 'openai', key: rightKey });
    assert.match(sent.join(), /canary/u, 'one that is given for this address goes there');
    assert.deepEqual((await value('setting.set', set)).notes, [], 'the same address needs no other key');
    assert.match(readFileSync(config, 'utf8'), /canary/u);
    const { notes } = await value('setting.unset', { key: set.key });
    assert.match(notes.join(), /was removed/u, 'the usual address is another one too');
  });
}
