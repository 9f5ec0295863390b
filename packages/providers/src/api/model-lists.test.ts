import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Clock, Provider, ProviderOffer } from '@loom/kernel';
import { createAnthropicProvider } from '../anthropic/index.ts';
import { createCompatibleProvider } from '../compatible/index.ts';
import { createGoogleProvider } from '../google/index.ts';
import { createOpenAIProvider } from '../openai/index.ts';
import type { ApiDependencies } from './api.ts';

const key = 'canary-of-the-list';

/** A server of the test, and what it was asked. */
async function serve(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') assert.fail('no port');
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

const json =
  (body: unknown, status = 200) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

type Make = (url: string, own?: Partial<ApiDependencies>) => Provider;

/** Time stands still. */
const stillClock: Clock = { now: () => 0, after: () => () => {} };

const dependencies = (own: Partial<ApiDependencies> = {}): ApiDependencies => ({
  clock: stillClock,
  random: () => 0,
  key: async () => key,
  ...own,
});

const makers: Record<'anthropic' | 'openai' | 'google' | 'server', Make> = {
  anthropic: (url, own) => createAnthropicProvider({ ...dependencies(own), baseURL: `${url}/v1` }),
  openai: (url, own) => createOpenAIProvider({ ...dependencies(own), baseURL: `${url}/v1` }),
  google: (url, own) => createGoogleProvider({ ...dependencies(own), baseURL: `${url}/v1beta` }),
  server: (url, own) => createCompatibleProvider({ name: 'server', baseURL: `${url}/v1` }, dependencies(own)),
};

const offersOf = async (provider: Provider): Promise<ProviderOffer> => (await provider.offers?.()) ?? assert.fail();

test('[PV63] Anthropic lists its models with their limits, over all pages', async (context) => {
  const pages: Record<string, unknown> = {
    '/v1/models?limit=1000': {
      data: [
        {
          type: 'model',
          id: 'claude-nova-6',
          display_name: 'Claude Nova 6',
          created_at: '2026-11-01T00:00:00Z',
          max_input_tokens: 1_000_000,
          max_tokens: 128_000,
          capabilities: { image_input: { supported: true }, pdf_input: { supported: false }, thinking: null },
        },
      ],
      has_more: true,
      last_id: 'claude-nova-6',
    },
    '/v1/models?limit=1000&after_id=claude-nova-6': {
      data: [{ id: 'claude-old', created_at: '1970-01-01T00:00:00Z', max_tokens: null, surprise: 1 }],
      has_more: false,
    },
  };
  const server = await serve(context, (request, response) => json(pages[request.url ?? ''])(request, response));
  assert.deepEqual(await offersOf(makers.anthropic(server.url)), {
    state: { type: 'installed' },
    models: [
      {
        name: 'claude-nova-6',
        about: 'Claude Nova 6',
        created: Date.UTC(2026, 10, 1),
        context: 1_000_000,
        output: 128_000,
        images: true,
        files: false,
      },
      { name: 'claude-old' },
    ],
  });
  assert.deepEqual(
    server.asked.map(({ method, headers }) => [method, headers['x-api-key'], headers['anthropic-version']]),
    [
      ['GET', key, '2023-06-01'],
      ['GET', key, '2023-06-01'],
    ],
  );
});

test('[PV63] OpenAI, Google and compatible servers list the models that talk', async (context) => {
  const list = {
    object: 'list',
    data: [
      { id: 'gpt-9', created: 1_790_000_000, owned_by: 'system' },
      { id: 'text-embedding-4-large', created: 1 },
      { id: 'sora-3' },
      { id: 'gpt-image-3' },
      { id: 'ft:gpt-9:acme::x1' },
    ],
  };
  const openai = await serve(context, json(list));
  assert.deepEqual((await offersOf(makers.openai(openai.url))).models, [
    { name: 'gpt-9', created: 1_790_000_000_000 },
    { name: 'ft:gpt-9:acme::x1' },
  ]);
  assert.deepEqual(
    openai.asked.map(({ url, headers }) => [url, headers.authorization]),
    [['/v1/models', `Bearer ${key}`]],
  );
  const google = await serve(
    context,
    json({
      models: [
        {
          name: 'models/gemini-5-flash',
          displayName: 'Gemini 5 Flash',
          inputTokenLimit: 2_000_000,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
          thinking: true,
        },
        { name: 'models/gemini-embedding-2', supportedGenerationMethods: ['embedContent'] },
        { name: 'models/veo-4', supportedGenerationMethods: ['predictLongRunning'] },
      ],
    }),
  );
  assert.deepEqual((await offersOf(makers.google(google.url))).models, [
    { name: 'gemini-5-flash', about: 'Gemini 5 Flash', context: 2_000_000, output: 65_536, thinking: true },
  ]);
  assert.deepEqual(
    google.asked.map(({ url, headers }) => [url, headers['x-goog-api-key']]),
    [['/v1beta/models?pageSize=1000', key]],
  );
  const router = await serve(
    context,
    json({
      data: [
        {
          id: 'maker/big-70b-instruct',
          name: 'Maker: Big',
          created: 1_780_000_000,
          context_length: 131_072,
          top_provider: { max_completion_tokens: 8_192 },
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          supported_parameters: ['tools', 'temperature'],
          pricing: { prompt: '0.000001' },
        },
        { id: 'maker/painter', architecture: { output_modalities: ['image'] } },
        { id: 'two words' },
        { id: 'esc\u001b[2J' },
      ],
    }),
  );
  const keyless = makers.server(router.url, { key: async () => undefined });
  assert.deepEqual((await offersOf(keyless)).models, [
    {
      name: 'maker/big-70b-instruct',
      about: 'Maker: Big',
      created: 1_780_000_000_000,
      context: 131_072,
      output: 8_192,
      images: true,
      files: false,
      thinking: false,
      tools: true,
    },
  ]);
  assert.equal(router.asked[0]?.headers.authorization, undefined);
});

const failures: readonly [what: string, code: string, answer: Parameters<typeof serve>[1]][] = [
  ['a key that is refused', 'key-refused', json({ error: { message: `Incorrect API key: ${key}` } }, 401)],
  ['a key without the right', 'key-refused', json({ error: {} }, 403)],
  ['a key that Google does not know', 'key-refused', json({ error: { message: `API key not valid: ${key}` } }, 400)],
  ['a server that is busy', 'no-answer', json({ error: { message: key } }, 529)],
  ['something else than a list', 'unreadable', json({ models: 'none', data: { key } })],
  ['something else than JSON', 'unreadable', (_request, response) => void response.end(`<html>${key}`)],
  ['another address', 'no-answer', (_request, response) => void response.writeHead(307, { location: '/v2' }).end()],
  ['a broken connection', 'no-answer', (request) => void request.socket.destroy()],
];

for (const [what, code, answer] of failures) {
  test(`[PV64] ${what} is a failure in Loom's own words, which do not repeat the key`, async (context) => {
    const server = await serve(context, answer);
    for (const make of Object.values(makers)) {
      const { state, models } = await offersOf(make(server.url));
      assert.deepEqual([state.type, state.type === 'failed' && state.code, models], ['failed', code, undefined]);
      assert.doesNotMatch(JSON.stringify(state), new RegExp(key));
    }
    assert.equal(server.asked.length, Object.keys(makers).length, 'each was asked once');
  });
}

test('[PV64] a silent, an endless and a huge list end the request, and without a key none is made', async (context) => {
  let endPatience: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    after: (_milliseconds, callback) => {
      endPatience = callback;
      return () => {};
    },
  };
  const silent = await serve(context, () => endPatience?.());
  const { state } = await offersOf(makers.openai(silent.url, { clock }));
  assert.equal(state.type === 'failed' && state.code, 'no-answer');
  const endless = await serve(context, json({ models: [{ name: 'models/gemini-5' }], nextPageToken: 'more' }));
  assert.equal((await offersOf(makers.google(endless.url))).models?.length, 5);
  const huge = await serve(context, (_request, response) => {
    const line = `${JSON.stringify({ id: 'x'.repeat(64_000) })},`;
    const more = (): void => {
      while (!response.destroyed && response.write(line));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const flood = (await offersOf(makers.server(huge.url))).state;
  assert.equal(flood.type === 'failed' && flood.code, 'no-answer');
  const bare = await offersOf(makers.openai(silent.url, { key: async () => undefined }));
  assert.equal(bare.state.type === 'failed' && bare.state.code, 'key-refused');
  assert.equal(silent.asked.length, 1);
});
