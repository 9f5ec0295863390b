import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Provider, ProviderCall, ProviderEvent } from '@loom/kernel';
import { instantClock, VirtualClock } from '@loom/kernel/testing';
import { demoTools } from '@loom/providers/demo';
import { z } from 'zod';
import { readRawEvents } from '../../testing/event-reader.ts';
import { serveLoom } from '../../testing/served-loom.ts';
import type { ServedOptions } from '../../testing/served-loom.ts';

const node = z.looseObject({
  id: z.string(),
  child_ids: z.array(z.string()),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })) }),
});
const update = z.strictObject({
  status: z.enum(['pending', 'idle']),
  added: z.array(node).optional(),
  error: z.string().optional(),
});

/** A model whose answers the test dictates, call by call. */
class ToldModel implements Provider {
  readonly id = 'told';
  readonly #waiting: ((events: ProviderEvent[]) => void)[] = [];
  readonly #said: ProviderEvent[][] = [];

  say(...blocks: (string | { call: string })[]): void {
    const events = blocks.map((block): ProviderEvent => {
      const content =
        typeof block === 'string'
          ? { type: 'text' as const, text: block }
          : { type: 'tool-use' as const, id: block.call, name: 'todo', parameters: { todos: [] } };
      return { type: 'block', message: 'm', role: 'assistant', block: content };
    });
    const reason = blocks.some((block) => typeof block !== 'string') ? 'tool-use' : 'stop';
    this.next([{ type: 'call-start' }, ...events, { type: 'call-end', reason }]);
  }

  next(events: ProviderEvent[]): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#said.push(events);
    else waiting(events);
  }

  async *stream(_request: unknown, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield* (
      this.#said.shift() ??
        (await new Promise<ProviderEvent[]>((resolve) => {
          this.#waiting.push(resolve);
          signal.addEventListener('abort', () => resolve([]));
        }))
    );
  }
}

async function open(t: TestContext, options: ServedOptions = {}) {
  const model = new ToldModel();
  const engine = { providers: [model], tools: demoTools(instantClock()) };
  const served = await serveLoom(t, { ...options, engine });
  const { requests } = served;
  const { root } = await requests.call('root.create', {});
  const { nodes } = await requests.call('node.append', { parent: root, messages: [{ role: 'user', content: 'hi' }] });
  const [asked = ''] = nodes;
  const at = (id: string): string => `/api/nodes/${encodeURIComponent(id)}`;
  const generate = async (query = ''): Promise<unknown> => {
    const body = JSON.stringify({ providerName: 'told', modelName: 'x', activeTools: ['todo'] });
    const headers = { 'content-type': 'application/json' };
    const answer = await requests.fetch(`${at(asked)}/generate${query}`, { method: 'POST', body, headers });
    return answer.json();
  };
  const statusOf = async (id: string): Promise<unknown> => {
    const found: unknown = await (await requests.fetch(at(id))).json();
    return z.looseObject({ pendingGeneration: z.unknown().optional() }).parse(found).pendingGeneration;
  };
  const follow = async (id: string) => {
    const answer = await requests.fetch(`${at(id)}/generation`);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    const events = readRawEvents(answer);
    t.after(() => events.return());
    return {
      events,
      heard: async (): Promise<z.infer<typeof update>> => update.parse((await events.next()).value?.data),
    };
  };
  return { ...served, model, asked, at, generate, statusOf, follow };
}

const textsOf = (nodes: z.infer<typeof node>[] = []): (string | undefined)[] =>
  nodes.map(({ message }) => message.content.map(({ type, text }) => text ?? type).join(' '));

test('[SV79] a client that asks for an answer hears at /generation when it is there, and of each that is asked for later', async (t) => {
  const { model, asked, generate, statusOf, follow } = await open(t);
  assert.equal(await statusOf(asked), undefined);
  assert.deepEqual(await generate(), { success: true });
  assert.deepEqual(await statusOf(asked), { status: 'pending' });
  const { heard } = await follow(asked);
  assert.deepEqual(await heard(), { status: 'pending' });
  model.say('hello');
  const first = await heard();
  assert.deepEqual([first.status, textsOf(first.added)], ['idle', ['hello']]);
  assert.deepEqual(await statusOf(asked), { status: 'idle' });
  await generate();
  assert.deepEqual(await heard(), { status: 'pending' });
  await generate();
  model.say('another');
  const second = await heard();
  assert.deepEqual([second.status, textsOf(second.added)], ['pending', ['another']]);
  const error = { code: 'refused' as const, message: 'It does not want to.' };
  model.next([{ type: 'call-start' }, { type: 'call-error', error }]);
  const third = await heard();
  assert.equal(third.status, 'idle');
  assert.match(third.error ?? '', /does not want to/u);
});

test('[SV79] an answer that calls tools is told at its node, and what follows at the nodes that follow', async (t) => {
  const { model, asked, generate, follow } = await open(t);
  await generate();
  const top = await follow(asked);
  await top.heard();
  model.say('I look.', { call: 'c1' });
  const first = await top.heard();
  assert.deepEqual([first.status, textsOf(first.added)], ['pending', ['I look. tool-use']]);
  const called = await follow(first.added?.[0]?.id ?? '');
  assert.deepEqual(await called.heard(), { status: 'pending' });
  model.say('Nothing there.');
  const result = await called.heard();
  assert.deepEqual([result.status, result.added?.map(({ message }) => message['role'])], ['pending', ['tool']]);
  assert.deepEqual(await called.heard(), { status: 'idle' });
  assert.deepEqual(await top.heard(), { status: 'idle' });
});

test('[SV79] clients from before blocks get the nodes when they are there', async (t) => {
  const { model, generate } = await open(t);
  model.say('hello');
  const answered = z.array(z.looseObject({ message: z.unknown() })).parse(await generate('?format=legacy'));
  assert.deepEqual(
    answered.map(({ message }) => message),
    [{ role: 'assistant', content: 'hello' }],
  );
});

test('[SV79] where no answer was asked for there is nothing to follow, and a stranger follows nothing', async (t) => {
  const { requests, as, asked, at, generate, follow } = await open(t);
  for (const id of [asked, `${asked}9`, 'root-none/node-1', '/', 'x', '..', '%'])
    assert.equal((await requests.fetch(`${at(id)}/generation`)).status, 404, id);
  await generate();
  const eve = await as({ agent: 'eve', type: 'person', role: 'reader', roots: ['root-other'] });
  assert.equal((await eve.fetch(`${at(asked)}/generation`)).status, 403);
  const { heard } = await follow(asked);
  assert.deepEqual(await heard(), { status: 'pending' });
});

test('[SV79] a stream shows that it is there, and ends with its server', async (t) => {
  const clock = new VirtualClock();
  const { server, asked, generate, follow } = await open(t, { clock });
  await generate();
  const { events, heard } = await follow(asked);
  await heard();
  clock.advance(15_000);
  assert.deepEqual((await events.next()).value, { comment: 'still here' });
  await Promise.all([server.close(), assert.doesNotReject(async () => assert.equal((await events.next()).done, true))]);
});
