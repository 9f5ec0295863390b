import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { test } from 'node:test';
import { frozenClock, rest, VirtualClock } from '@loom/kernel/testing';
import { discoverServers } from './discovery.ts';
import type { FoundServer, ServerKind } from './discovery.ts';

/** A server's responses by path, given the posted body; other paths are 404. */
type Answers = Record<string, (posted: string) => unknown>;

const ollama: Answers = {
  '/api/tags': () => ({ models: [{ name: 'qwen3:8b' }, { name: 'llava:7b' }, { name: 'nomic-embed-text' }] }),
  '/api/ps': () => ({ models: [{ name: 'qwen3:8b', context_length: 32768 }] }),
  '/api/show': (posted) => {
    if (posted.includes('nomic')) return { capabilities: ['embedding'] };
    if (posted.includes('llava')) {
      return { capabilities: ['completion', 'vision'], parameters: 'stop "x"\nnum_ctx    8192\n', model_info: {} };
    }
    const model_info = { 'general.architecture': 'qwen3', 'qwen3.context_length': 40960 };
    return { capabilities: ['completion', 'tools', 'thinking'], model_info };
  },
};

test('[PV40] a server on loopback is found with its models and their context', async () => {
  assert.deepEqual(await look('ollama', ollama), {
    kind: 'ollama',
    models: [
      { id: 'qwen3:8b', contextWindow: 32768, takesImages: false, callsTools: true, thinks: true },
      { id: 'llava:7b', contextWindow: 8192, takesImages: true, callsTools: false, thinks: false },
    ],
  });
  const studio = {
    '/v1/models': () => ({ data: [{ id: 'qwen2-vl' }, { id: 'nomic' }] }),
    '/api/v0/models': () => ({
      data: [
        { id: 'qwen2-vl', type: 'vlm', max_context_length: 32768 },
        {
          id: 'llama',
          type: 'llm',
          max_context_length: 131072,
          loaded_context_length: 4096,
          capabilities: ['tool_use'],
        },
        { id: 'nomic', type: 'embeddings', max_context_length: 2048 },
      ],
    }),
  };
  assert.deepEqual(await look('lm-studio', studio), {
    kind: 'lm-studio',
    models: [
      { id: 'qwen2-vl', contextWindow: 32768, takesImages: true },
      { id: 'llama', contextWindow: 4096, takesImages: false, callsTools: true },
    ],
  });
  const llama = {
    '/v1/models': () => ({ data: [{ id: 'gemma.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131072 } }] }),
    '/props': () => ({ default_generation_settings: { n_ctx: 16384 }, modalities: { vision: true } }),
  };
  assert.deepEqual(await look('llama.cpp', llama), {
    kind: 'llama.cpp',
    models: [{ id: 'gemma.gguf', contextWindow: 16384, takesImages: true }],
  });
});

test('[PV40] what a server says of itself counts, not its port', async () => {
  const vllm = { '/v1/models': () => ({ data: [{ id: 'Qwen/Qwen3', owned_by: 'vllm', max_model_len: 40960 }] }) };
  const found = { kind: 'vllm', models: [{ id: 'Qwen/Qwen3', contextWindow: 40960 }] };
  assert.deepEqual(await look('llama.cpp', vllm), found);
  assert.deepEqual(await look('ollama', vllm), found);
  const unknown = { '/v1/models': () => ({ data: [{ id: 'm', owned_by: null, meta: null }] }) };
  assert.deepEqual(await look('vllm', unknown), { kind: 'other', models: [{ id: 'm' }] });
});

test('[PV41] a port that is closed, silent or serves something else has no models, and is not waited for', async () => {
  assert.equal(await look('vllm', {}), undefined);
  assert.equal(await look('vllm', { '/v1/models': () => ({ data: 'no' }) }), undefined);
  assert.equal(await look('ollama', { '/api/tags': () => [1, 2] }), undefined);
  assert.equal(await look('vllm', { '/v1/models': () => '<html>' }), undefined);

  const clock = new VirtualClock();
  const stuck: typeof fetch = async (_url, init) => {
    init?.signal?.throwIfAborted();
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  let found: FoundServer[] | undefined;
  const looking = discoverServers({ fetch: stuck, clock }).then((servers) => (found = servers));
  clock.advance(399);
  await rest();
  assert.equal(found, undefined);
  clock.advance(1);
  await looking;
  assert.deepEqual(found, []);
});

/** Returns the findings at a server, without its address. */
async function look(kind: ServerKind, answers: Answers): Promise<Pick<FoundServer, 'kind' | 'models'> | undefined> {
  await using server = await listen(answers);
  const clock = frozenClock();
  const [found, ...more] = await discoverServers({ fetch, clock, addresses: [{ origin: server.origin, kind }] });
  assert.deepEqual(more, []);
  assert.equal(clock.waiting(), 0);
  if (found === undefined) return undefined;
  const { baseURL, ...rest } = found;
  assert.equal(baseURL, `${server.origin}/v1`);
  return rest;
}

async function listen(answers: Answers): Promise<{ origin: string } & AsyncDisposable> {
  const server: Server = createServer((request, response) => {
    let posted = '';
    request.setEncoding('utf8').on('data', (text: string) => (posted += text));
    request.on('end', () => {
      const answer = answers[request.url ?? '']?.(posted);
      response.writeHead(answer === undefined ? 404 : 200);
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
