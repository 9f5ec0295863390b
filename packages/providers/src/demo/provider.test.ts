import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import type { AssistantBlock, Message, PlainObject } from '@loom/blocks';
import type { ProviderEvent, ProviderRequest } from '@loom/kernel';
import { frozenClock, instantClock } from '@loom/kernel/testing';
import { testProviderContract } from '../testing/contract.ts';
import { inspectEvents } from '../testing/event-rules.ts';
import { callWith, collectEvents, requestSaying, saying } from '../testing/streams.ts';
import { createDemoProvider, demoModels, demoTools } from './index.ts';
import { longText, slowText } from './long-texts.ts';
import { perform } from './performance.ts';
import { readRequest } from './reading.ts';
import { callTools } from './script.ts';
import { topics } from './topics.ts';

const modelNames = demoModels.map(({ name }) => name);
const prompts = topics.map(({ example }) => example);
assert.ok(isNonEmpty(modelNames) && isNonEmpty(prompts));
const tools = demoTools(instantClock());

testProviderContract('demo', () => createDemoProvider({ clock: instantClock() }), {
  models: modelNames,
  prompts,
  tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
});

/** Returns the demo's answer: its blocks, and its last event. */
async function answerTo(
  request: ProviderRequest,
): Promise<{ blocks: AssistantBlock[]; last: ProviderEvent | undefined }> {
  const events = await collectEvents(createDemoProvider({ clock: instantClock() }), request);
  return { blocks: inspectEvents(events, false).blocks, last: events.at(-1) };
}

async function wordsOf(request: ProviderRequest): Promise<string> {
  const { blocks } = await answerTo(request);
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

async function usageOf(request: ProviderRequest): Promise<unknown> {
  const events = await collectEvents(createDemoProvider({ clock: instantClock() }), request);
  return events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))[0];
}

function answering(...content: [AssistantBlock, ...AssistantBlock[]]): Message {
  return { role: 'assistant', content };
}

test('[DM1] the time of day changes nothing', async () => {
  const later = { ...instantClock(), now: () => 1e12 };
  const request = requestSaying('give me the tour', { tools });
  assert.deepEqual(
    await collectEvents(createDemoProvider({ clock: later }), request),
    await collectEvents(createDemoProvider({ clock: instantClock() }), request),
  );
});

test('[DM2] a call that waits for the clock stops at once and leaves no wait behind', async () => {
  const clock = frozenClock();
  const controller = new AbortController();
  const events: ProviderEvent[] = [];
  for await (const event of createDemoProvider({ clock }).stream(requestSaying('hello'), callWith(controller.signal))) {
    events.push(event);
    if (event.type === 'block-start') queueMicrotask(() => controller.abort());
  }
  assert.deepEqual(
    events.map(({ type }) => type),
    ['call-start', 'block-start', 'usage', 'call-error'],
  );
  const last = events.at(-1);
  assert.ok(last?.type === 'call-error' && last.error.code === 'stopped');
  assert.equal(clock.waiting(), 0);
});

test('[DM3] demo alone means the first model, and an unknown one is answered with the names of all', async () => {
  assert.deepEqual(modelNames, ['demo', 'terse', 'slow', 'long', 'thinking', 'tools', 'echo', 'refusal', 'error']);
  assert.deepEqual(await answerTo(requestSaying('hello')), await answerTo(requestSaying('hello', { model: 'demo' })));
  const { last } = await answerTo(requestSaying('hello', { model: 'gpt' }));
  assert.ok(last?.type === 'call-error' && last.error.code === 'unknown-model');
  for (const name of modelNames) assert.ok(last.error.message.includes(name));
});

test('[DM4] slow takes at least ten seconds, in many small pieces', async () => {
  for (const request of [requestSaying('x', { model: 'slow' }), requestSaying('slowly')]) {
    const clock = instantClock();
    const events = await collectEvents(createDemoProvider({ clock }), request);
    assert.ok(clock.now() >= 10_000);
    const deltas = events.flatMap((event) => (event.type === 'block-delta' ? [event.text] : []));
    assert.ok(deltas.length > 300 && deltas.every((text) => text.length <= 6));
    assert.equal(deltas.join(''), slowText);
  }
});

test('[DM5] long has everything that Markdown has, on several pages', async () => {
  const text = await wordsOf(requestSaying('x', { model: 'long' }));
  assert.equal(text, longText);
  assert.ok(text.length > 5000);
  for (const part of [/^# /mu, /^## /mu, /^- /mu, /^\| ---: \|/mu, /^```ts$/mu, /^> /mu, /^---$/mu])
    assert.match(text, part);
});

test('[DM6] thinking comes first and is signed; thinking of other models is ignored', async () => {
  const { blocks } = await answerTo(requestSaying('hello', { model: 'thinking' }));
  const [thought, words] = blocks;
  assert.ok(thought?.type === 'thinking' && words?.type === 'text');
  assert.match(JSON.stringify(thought.provider), /^\{"demo":\{"signature":"demo-[0-9a-f]{16}"\}\}$/u);
  const history = (changes: object): ProviderRequest =>
    requestSaying('', {
      messages: [saying('hello'), answering({ ...thought, ...changes }, words), saying('thank you')],
    });
  const code = async (changes: object): Promise<unknown> => {
    const { last } = await answerTo(history(changes));
    return last?.type === 'call-error' ? last.error.code : last?.type;
  };
  assert.equal(await code({}), 'call-end');
  assert.equal(await code({ provider: { other: { signature: 'x' } } }), 'call-end');
  assert.equal(await code({ text: 'I never thought this.' }), 'invalid-request');
});

test('[DM7] error breaks off with its text open, refusal declines, echo says the same', async () => {
  const events = await collectEvents(
    createDemoProvider({ clock: instantClock() }),
    requestSaying('x', { model: 'error' }),
  );
  assert.deepEqual(
    events.slice(-3).map(({ type }) => type),
    ['block-delta', 'usage', 'call-error'],
  );
  assert.deepEqual((await answerTo(requestSaying('x', { model: 'refusal' }))).last, {
    type: 'call-end',
    reason: 'refusal',
  });
  const words = ' 🧵 two\r\nlines\n';
  assert.equal(await wordsOf(requestSaying(words, { model: 'echo' })), words);
  assert.equal(await wordsOf(requestSaying(`echo ${words}`)), words);
});

test('[DM8] ids of calls depend on the request, and none is given twice in a conversation', async () => {
  const callId = async (...messages: Message[]): Promise<string> => {
    const { blocks } = await answerTo(requestSaying('', { messages, tools }));
    return blocks.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []))[0] ?? '';
  };
  const asked = saying('weather in Oslo');
  const first = await callId(asked);
  assert.match(first, /^call_[0-9a-f]{16}_1$/u);
  assert.notEqual(await callId(saying('hello'), asked), first);
  // Each id depends on the ids before it, so a history that clashes cannot be made up; a reading can.
  const reading = readRequest(requestSaying('weather in Oslo'));
  const script = callTools('', [{ name: 'weather', parameters: {} }]);
  const firstId = (callIds: readonly string[]): string => {
    const [step] = perform(script, { ...reading, callIds: new Set(callIds) });
    const event = step !== undefined && 'event' in step ? step.event : undefined;
    return event?.type === 'block-start' && event.block.type === 'tool-use' ? event.block.id : '';
  };
  assert.equal(firstId([first]), first.replace(/1$/u, '2'));
});

test('[DM9] an answer ends where maxTokens ends it, never inside a character or a call', async () => {
  const short = await answerTo(requestSaying('echo 12345678', { maxTokens: 1 }));
  assert.deepEqual(short, {
    blocks: [{ type: 'text', text: '1234' }],
    last: { type: 'call-end', reason: 'length' },
  });
  assert.equal(await wordsOf(requestSaying('echo 123🧵567', { maxTokens: 1 })), '123🧵');
  const calls = await answerTo(requestSaying('call weather {"city":"Oslo"}', { tools, maxTokens: 3 }));
  assert.deepEqual(calls, { blocks: [], last: { type: 'call-end', reason: 'length' } });
  const fitting = await answerTo(requestSaying('echo 12345678', { maxTokens: 2 }));
  assert.deepEqual(fitting.last, { type: 'call-end', reason: 'stop' });
});

test('[DM10] usage counts four characters as a token, thinking as output, the former request as cached', async () => {
  assert.deepEqual(await usageOf(requestSaying('echo 123', { systemPrompt: 'Be kind.' })), {
    input_tokens: 4,
    output_tokens: 1,
    cost_usd: 0,
  });
  const messages = [saying('12345678'), answering({ type: 'text', text: '1234' }), saying('echo 123')];
  assert.deepEqual(await usageOf(requestSaying('', { messages })), {
    input_tokens: 5,
    output_tokens: 1,
    cached_input_tokens: 2,
    cost_usd: 0,
  });
  const thought = await usageOf(requestSaying('think about it'));
  assert.match(JSON.stringify(thought), /"output_tokens":\d+,"reasoning_tokens":[1-9]/u);
});

test('[DM10] a stopped call is billed for what was said', async () => {
  const events = await collectEvents(createDemoProvider({ clock: instantClock() }), requestSaying('echo 12345678'), 4);
  const said = events.flatMap((event) => (event.type === 'block-delta' ? [event.text] : [])).join('');
  assert.equal(said, '12345');
  assert.deepEqual(events.at(-2), { type: 'usage', usage: { input_tokens: 4, output_tokens: 2, cost_usd: 0 } });
});

test('[DM11] a request that cannot be read is an error of the call', async () => {
  const endless: PlainObject = {};
  endless['self'] = endless;
  const call = answering({ type: 'tool-use', id: 'x', name: 'weather', parameters: endless });
  const { last } = await answerTo(requestSaying('', { messages: [call, saying('hello')] }));
  assert.ok(last?.type === 'call-error' && last.error.code === 'invalid-request');
});
