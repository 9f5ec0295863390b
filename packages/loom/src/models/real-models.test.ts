import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setConfigValue } from '../config/index.ts';
import type { FeedEvent } from '@loom/kernel';
import { Conversation } from '../chat/conversation.ts';
import { openLoom } from '../open-loom.ts';
import { withWriter } from '../runtime/opened-folder.ts';
import { createModels } from './models.ts';
import {
  anthropicWire,
  compatibleWire,
  googleWire,
  responsesWire,
  startEmulator,
  type EmulatedWire,
  type Emulator,
} from '@loom/providers/testing';
import { z } from 'zod';
import { ForestFolder } from '../testing/forest-folder.ts';

/** A provider as a new user sets it up, and what speaks in its place. */
interface Subject {
  provider: string;
  wire: EmulatedWire;
  model: string;
  variable: string;
}

/** A router has the models of all vendors. */
const routerWire: EmulatedWire = {
  ...compatibleWire,
  refuse: (request) => compatibleWire.refuse({ ...request, json: { ...Object(request.json), model: 'local' } }),
};

const subjects: readonly Subject[] = [
  { provider: 'anthropic', wire: anthropicWire, model: 'claude-haiku-4-5', variable: 'ANTHROPIC_API_KEY' },
  { provider: 'openai', wire: responsesWire, model: 'gpt-5.4-mini', variable: 'OPENAI_API_KEY' },
  { provider: 'openrouter', wire: routerWire, model: 'openai/gpt-5.4-mini', variable: 'OPENROUTER_API_KEY' },
  { provider: 'google', wire: googleWire, model: 'gemini-3.8-flash', variable: 'GEMINI_API_KEY' },
];

/** Looks for itself in everything that is written. */
const canary = 'canary-key-4b1dface-of-the-test';

async function start(context: TestContext, { wire }: Subject, isAccepted = true): Promise<Emulator> {
  const emulator = await startEmulator(wire, ({ said }) =>
    isAccepted
      ? { said: [{ say: `You said: ${said}` }] }
      : { said: [], failure: { kind: 'status', status: 401, message: `invalid key ${canary}` } },
  );
  context.after(() => emulator.close());
  return emulator;
}

async function setUp(folder: ForestFolder, { provider }: Subject, url: string): Promise<void> {
  await folder.succeed(['config', 'set', `providers.${provider}.baseURL`, url]);
}

/** Returns everything below a folder but the settings. */
function contentsOf(folder: string): string {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('config'))
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? contentsOf(path) : readFileSync(path, 'latin1')))
    .join('\n');
}

for (const subject of subjects) {
  const { provider, model, variable } = subject;
  const name = `${provider}/${model}`;

  test(`[MO22] [MO30] ${provider} answers with a key of the environment, the settings or a program, and no key is written anywhere`, async (context) => {
    const folder = new ForestFolder(context);
    const emulator = await start(context, subject);
    await setUp(folder, subject, emulator.url);
    const ways: [settings: string[][], env: Record<string, string>][] = [
      [[], { [variable]: canary }],
      [[[`providers.${provider}.apiKey`, canary]], {}],
      [
        [
          [`providers.${provider}.apiKey`, 'another'],
          [`providers.${provider}.headers.x-own`, 'mine'],
        ],
        { [variable]: canary },
      ],
    ];
    let printed = '';
    for (const [settings, env] of ways) {
      for (const [key = '', value = ''] of settings) await folder.succeed(['config', 'set', key, value]);
      const { code, out, note } = await folder.run(['chat', '-m', name, '-p', 'hi'], { env });
      assert.deepEqual([code, out], [0, 'You said: hi\n'], note);
      printed += out + note + (await folder.succeed(['config'], { env }));
    }
    await folder.succeed(['config', 'unset', `providers.${provider}.apiKey`]);
    await folder.succeed([
      'config',
      'set',
      `providers.${provider}.key_command`,
      `printf ${canary.slice(0, 6)}; printf '%s\\n' ${canary.slice(6)}`,
    ]);
    const byProgram = await folder.run(['chat', '-m', name, '-p', 'hi', '--json'], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    assert.equal(byProgram.code, 0, byProgram.note);
    printed += byProgram.out + byProgram.note;
    // Servers on this machine are asked for their models as well.
    const asked = emulator.requests.filter(({ method }) => method === 'POST');
    assert.equal(asked.length, 4);
    for (const { headers, path } of asked) assert.ok(`${path}${Object.values(headers).join(' ')}`.includes(canary));
    assert.equal(asked[2]?.headers['x-own'], 'mine');
    printed += await folder.succeed(['models'], { env: { [variable]: canary } });
    const tree = await folder.succeed(['tree']);
    assert.match(tree, /hi {2}(?:under )?\$0\.000\d/);
    assert.ok(!`${printed}${tree}${contentsOf(folder.dataDir)}`.includes(canary));
  });

  test(`[MO13] [MO22] ${provider} with a wrong key, without a key and with a typing mistake says what to do`, async (context) => {
    const folder = new ForestFolder(context);
    const emulator = await start(context, subject, false);
    await setUp(folder, subject, emulator.url);
    const env = { [variable]: canary };
    const wrong = await folder.run(['chat', '-m', name, '-p', 'hi'], { env });
    assert.deepEqual([wrong.code, wrong.out], [1, '']);
    assert.match(wrong.note, new RegExp(`auth: .*${provider}.*refused.*Check the key`));
    assert.ok(!`${wrong.note}${contentsOf(folder.dataDir)}`.includes(canary));

    const without = await folder.run(['chat', '-m', name, '-p', 'hi']);
    assert.deepEqual([without.code, without.out], [1, '']);
    assert.match(
      without.note,
      new RegExp(`there is no key for ${provider}\\nSet [A-Z_]+, or: loom config set providers`),
    );

    const typo = await folder.run(['chat', '-m', `${provider}/${model.slice(1)}`, '-p', 'hi'], { env });
    assert.match(typo.note, new RegExp(`Did you mean ${name}\\?`));
    const provided = await folder.run(['chat', '-m', `${provider.slice(1)}/${model}`, '-p', 'hi'], { env });
    assert.match(provided.note, new RegExp(`there is no provider .*\\nDid you mean ${name}\\?`));
  });
}

test('[MO25] what an address and headers hold goes along with each request, and is told and kept nowhere though the server repeats it', async (context) => {
  const folder = new ForestFolder(context);
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    const repeated = JSON.stringify({ method, url, headers });
    if (method === 'POST') asked.push(repeated);
    response.writeHead(401, { 'content-type': 'application/json', 'x-repeated': repeated });
    response.end(JSON.stringify({ error: { message: repeated } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const port = z.object({ port: z.number() }).parse(server.address()).port;
  const secrets = { password: 'canary-password', query: 'canary-of-the-query', header: 'canary-of-the-header' };
  const address = `http://me:${secrets.password}@127.0.0.1:${port}/api?token=${secrets.query}&api-version=7`;
  await folder.succeed(['config', 'set', 'providers.own.baseURL', address]);
  await folder.succeed(['config', 'set', 'providers.own.headers.x-team-token', secrets.header]);
  const { code, note } = await folder.run(['chat', '-m', 'own/model', '-p', 'hi']);
  assert.equal(code, 1);
  const [request = ''] = asked;
  const basic = Buffer.from(`me:${secrets.password}`).toString('base64');
  assert.ok(request.includes(`/api/chat/completions?token=${secrets.query}&api-version=7`), request);
  assert.ok(request.includes(`Basic ${basic}`) && request.includes(secrets.header));
  const [root = ''] = readdirSync(folder.dataDir).filter((name) => name.startsWith('root-'));
  const inspected = await folder.succeed(['inspect', `${root}/node-2`]);
  const written = `${note}${inspected}${await folder.succeed(['models'])}${contentsOf(folder.dataDir)}`;
  for (const secret of [...Object.values(secrets), basic]) assert.ok(!written.includes(secret), secret);
  assert.match(inspected, /x-repeated: .*x-team-token/);
});

test('[MO21] an address that is changed holds from the next call on, in a process that runs on', async (context) => {
  const [subject] = subjects;
  assert.ok(subject);
  const [first, second] = [await start(context, subject), await start(context, subject)];
  const { dataDir } = new ForestFolder(context);
  const configure = (field: string, value: string) =>
    setConfigValue({ dataDir }, ['providers', 'anthropic', field], value);
  await configure('baseURL', first.url);
  await configure('apiKey', canary);
  await using loom = await openLoom({ dataDir });
  const ask = async (): Promise<void> => {
    const root = await loom.call('root.create', {});
    assert.ok(root.ok);
    const said = { parent: root.value.root, messages: [{ role: 'user' as const, content: 'hi' }] };
    const appended = await loom.call('node.append', said);
    assert.ok(appended.ok);
    const node = appended.value.nodes[0] ?? '';
    const started = await loom.call('turn.start', { node, provider: 'anthropic', model: 'claude-haiku-4-5' });
    assert.ok(started.ok);
    assert.equal(await loom.engine.turns.wait(started.value.turns[0] ?? ''), 'done');
  };
  await ask();
  assert.deepEqual([first.requests.length, second.requests.length], [1, 0]);
  await configure('baseURL', second.url);
  await configure('apiKey', 'another');
  await ask();
  assert.deepEqual([first.requests.length, second.requests.length], [1, 1]);
  assert.equal(second.requests[0]?.headers['x-api-key'], 'another');
});

test('[MO15] presets count more than defaults, and what is not set is not sent', async (context) => {
  const [subject] = subjects;
  assert.ok(subject);
  const folder = new ForestFolder(context);
  const emulator = await start(context, subject);
  await setUp(folder, subject, emulator.url);
  const env = { ANTHROPIC_API_KEY: canary };
  const ask = async (...args: string[]): Promise<unknown> => {
    await folder.succeed(['chat', '-p', 'hi', ...args], { env });
    return emulator.requests.at(-1)?.json;
  };
  const plain = z.looseObject({ model: z.string(), max_tokens: z.number() }).parse(await ask());
  assert.deepEqual([plain['temperature'], plain.max_tokens], [undefined, 128_000]);
  for (const [key, value] of [
    ['defaults.temperature', '0.5'],
    ['defaults.maxTokens', '100'],
    ['presets.wild.temperature', '0.9'],
    ['presets.wild.model', 'claude-sonnet-4-5'],
    ['presets.calm.temperature', '0.1'],
    ['activePresetName', 'calm'],
  ] as const) {
    await folder.succeed(['config', 'set', key, value], { env });
  }
  const part = z.object({ temperature: z.number(), max_tokens: z.number(), model: z.string() });
  const named = part.parse(await ask('--preset', 'wild'));
  assert.deepEqual(named, { temperature: 0.9, max_tokens: 100, model: 'claude-sonnet-4-5' });
  const active = part.parse(await ask('-m', 'claude-haiku-4-5'));
  assert.deepEqual(active, { temperature: 0.1, max_tokens: 100, model: 'claude-haiku-4-5' });
  const unknown = await folder.run(['chat', '-p', 'hi', '--preset', 'wlid'], { env });
  assert.match(unknown.note, /there is no preset "wlid"\nDid you mean wild\?/);
  const reasoning = await folder.run(['chat', '-p', 'hi', '--reasoning', 'much'], { env });
  assert.deepEqual([reasoning.code, emulator.requests.length], [2, 3]);
});

test('[MO24] a server that runs on this machine is found with its models; one that does not run is said at once', async (context) => {
  const folder = new ForestFolder(context);
  const [tags, show] = [
    { models: [{ name: 'local-llama:1b' }] },
    { capabilities: ['completion', 'tools'], model_info: { 'llama.context_length': 4096 } },
  ];
  const answers: Record<string, unknown> = { '/api/tags': tags, '/api/show': show, '/api/ps': { models: [] } };
  const wire: EmulatedWire = {
    ...compatibleWire,
    refuse: ({ headers, ...request }) =>
      compatibleWire.refuse({ ...request, headers: { ...headers, authorization: 'Bearer k' } }),
    respond: ({ path }) => (Object.hasOwn(answers, path) ? JSON.stringify(answers[path]) : undefined),
  };
  const emulator = await startEmulator(wire, () => ({ said: [{ say: 'Here.' }] }));
  const env = { OLLAMA_HOST: emulator.url.replace('http://', '') };
  assert.match(
    await folder.succeed(['models', 'ollama'], { env }),
    /^ollama\n {2}ollama\/local-llama:1b {2}context 4k, free\n$/,
  );
  for (const name of ['ollama/local-llama:1b', 'local-llama:1b', 'ollama']) {
    const { code, out, note } = await folder.run(['chat', '-m', name, '-p', 'hi'], { env });
    assert.deepEqual([code, out, note], [0, 'Here.\n', ''], name);
  }
  assert.match(
    (await folder.run(['chat', '-m', 'ollama/local-lama:1b', '-p', 'x'], { env })).note,
    /Did you mean ollama\/local-llama:1b\?/,
  );
  assert.match(await folder.succeed(['tree']), /hi {2}\$0\n/);
  await emulator.close();
  const gone = await folder.run(['chat', '-m', 'ollama/local-llama:1b', '-p', 'hi'], { env });
  assert.equal(gone.code, 1);
  assert.match(
    gone.note,
    /no server of ollama answers at http:\/\/127.*\nStart it, or say where it is: loom config set/,
  );
});

test('[MO13] without a network each try is said, and then what to check', async (context) => {
  const { dataDir } = new ForestFolder(context);
  await setConfigValue({ dataDir }, ['providers', 'anthropic', 'apiKey'], canary);
  // Nothing listens on the port of a server that was closed.
  const gone = await startEmulator(anthropicWire, () => ({ said: [] }));
  await gone.close();
  await setConfigValue({ dataDir }, ['providers', 'anthropic', 'baseURL'], gone.url);
  const waits: number[] = [];
  const clock = {
    now: Date.now,
    after(milliseconds: number, callback: () => void) {
      // Waits between tries pass at once; the limits of a call do not.
      if (milliseconds > 60_000) return () => undefined;
      waits.push(milliseconds);
      const soon = setImmediate(callback);
      return () => clearImmediate(soon);
    },
  };
  const models = createModels({ dataDir, env: {}, clock, random: () => 0.5 });
  await withWriter({ dataDir, models }, async (loom) => {
    const heard: FeedEvent[] = [];
    const chosen = await models.choose('anthropic/claude-haiku-4-5');
    const conversation = new Conversation(loom, { model: chosen, settings: {}, compaction: 'off' });
    conversation.listener = (event) => void heard.push(event);
    await conversation.say('hi');
    while (conversation.isBusy) await conversation.changed();
    conversation.close();
    const tries = heard.filter(({ type }) => type === 'turn-retrying');
    assert.ok(tries.length >= 2 && waits.length >= tries.length);
    const end = heard.find((event) => event.type === 'turn-ended');
    assert.equal(end?.error?.code, 'network');
    assert.match(
      end.error.message,
      /anthropic could not be reached \(ECONNREFUSED\)\. Check the connection and the address/,
    );
  });
  assert.ok(!contentsOf(dataDir).includes(canary));
});
