import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { HastyClock } from '../testing/hasty-clock.ts';
import { collectEvents, requestSaying, saying } from '../testing/streams.ts';
import { createGoogleProvider } from './index.ts';
import { chunk, ending, hear, model } from './testing/answers.ts';

const signed = (thoughtSignature: string): object => ({ google: { thoughtSignature, model } });

test('[GO1] arguments are kept as they were written, long integers and all', async () => {
  const args = '{"id": 12345678901234567890, "rate": 1.0, "args": {"functionCall": "}"}}';
  const call = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find","args":${args}}}]}}]}`;
  const { blocks, broken } = await hear([call, ending()]);
  assert.deepEqual(broken, []);
  assert.ok(blocks[0]?.type === 'tool-use');
  assert.equal(blocks[0].arguments, args);
});

test('[GO2] calls without an id get one from their place in the conversation, always the same', async () => {
  const chunks = [
    chunk([{ functionCall: { name: 'a', args: {} } }, { functionCall: { name: 'b', args: {} } }]),
    ending(),
  ];
  const idsOf = async (place: object): Promise<string[]> =>
    (await hear(chunks, place)).blocks.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []));
  const [first, again, elsewhere] = [await idsOf({}), await idsOf({}), await idsOf({ node: 'root-1/node-2' })];
  assert.deepEqual(first, again);
  assert.equal(new Set([...first, ...elsewhere]).size, 4);
});

test('[GO2] an id that the API gives is kept, unless a call of the conversation has it', async () => {
  const call = { type: 'tool-use', id: 'x1', name: 'a', parameters: {} } as const;
  const messages: Message[] = [
    saying('Hi'),
    { role: 'assistant', content: [call] },
    { role: 'tool', tool_call_id: 'x1', content: [] },
  ];
  const chunks = [
    chunk([{ functionCall: { id: 'x1', name: 'a' } }, { functionCall: { id: 'x2', name: 'a' } }]),
    ending(),
  ];
  const { blocks } = await hear(chunks, { messages });
  const ids = blocks.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []));
  assert.equal(ids[1], 'x2');
  assert.notEqual(ids[0], 'x1');
});

test('[GO3] a signature stays with the part that it came on, and ends it', async () => {
  const { blocks, broken } = await hear([
    chunk([{ text: 'Let me ', thought: true }]),
    chunk([{ text: 'think.', thought: true, thoughtSignature: 'c2ln' }]),
    chunk([{ text: 'Hello' }]),
    chunk([{ text: '', thoughtSignature: 'dHh0' }]),
    chunk([{ text: ' again' }, { functionCall: { name: 'a', args: {} }, thoughtSignature: 'Y2FsbA==' }]),
    ending(),
  ]);
  assert.deepEqual(broken, []);
  const kept = blocks.map(({ type, provider, ...block }) => [type, 'text' in block ? block.text : '', provider]);
  assert.deepEqual(kept, [
    ['thinking', 'Let me think.', signed('c2ln')],
    ['text', 'Hello', undefined],
    ['thinking', '', { google: { part: { text: '', thoughtSignature: 'dHh0' }, model } }],
    ['text', ' again', undefined],
    ['tool-use', '', signed('Y2FsbA==')],
  ]);
});

test('[GO3] a signature that stands alone is kept as a thought without words', async () => {
  const part = { text: '', thoughtSignature: 'c2ln' };
  const { blocks } = await hear([chunk([{ functionCall: { name: 'a', args: {} } }]), chunk([part]), ending()]);
  assert.deepEqual(blocks[1], { type: 'thinking', text: '', provider: { google: { part, model } } });
});

test("[GO3] a thought without a signature is known as its model's", async () => {
  const { blocks } = await hear([chunk([{ text: 'Hm.', thought: true }]), chunk([{ text: 'Yes.' }]), ending()]);
  assert.deepEqual(blocks, [
    { type: 'thinking', text: 'Hm.', provider: { google: { model } } },
    { type: 'text', text: 'Yes.' },
  ]);
});

test('[GO5] code that Google has run is a call of its own with its result behind it, then the answer goes on', async () => {
  const part = { executableCode: { id: 'c1', language: 'PYTHON', code: 'print(1)' } };
  const code = { ...part, thoughtSignature: 'c2ln' };
  const result = { codeExecutionResult: { id: 'c1', outcome: 'OUTCOME_OK', output: '1\n' } };
  const { events, blocks, broken } = await hear([chunk([code, result, { text: 'It is 1.' }]), ending()]);
  assert.deepEqual(broken, []);
  assert.deepEqual(blocks, [
    {
      type: 'tool-use',
      id: 'c1',
      name: 'code_execution',
      parameters: { id: 'c1', language: 'PYTHON', code: 'print(1)' },
      executed: 'provider',
      provider: { google: { part, thoughtSignature: 'c2ln', model } },
    },
    { type: 'text', text: 'It is 1.' },
  ]);
  const told = events.find((event) => event.type === 'block' && event.role === 'tool');
  assert.deepEqual(told, {
    type: 'block',
    message: 'result of c1',
    role: 'tool',
    tool_call_id: 'c1',
    block: {
      type: 'text',
      text: '1\n',
      provider: { google: { kind: 'codeExecutionResult', model, result: result.codeExecutionResult } },
    },
  });
});

test('[GO5] code that failed is told as a failure; a result without a call is kept whole', async () => {
  const failed = { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } };
  const { events, blocks } = await hear([
    chunk([failed, { executableCode: { language: 'PYTHON', code: 'x' } }, failed]),
    ending(),
  ]);
  assert.ok(events.some((event) => event.type === 'block' && event.is_error === true));
  assert.deepEqual(blocks[0], { type: 'raw', source: 'google', value: failed });
});

test('[GO6] the pages of a search and of URLs that were read end as one list, with what is said of them', async () => {
  const page = { web: { uri: 'https://a.example/', title: 'A' } };
  const groundingMetadata = {
    groundingChunks: [page, page, { web: { uri: 'https://b.example/' } }],
    webSearchQueries: ['a'],
  };
  const urlContextMetadata = { urlMetadata: [{ retrievedUrl: 'https://c.example/', urlRetrievalStatus: 'OK' }] };
  const { blocks, broken } = await hear([
    chunk([{ text: 'See A.' }], { groundingMetadata: {}, urlContextMetadata }),
    ending('STOP', { groundingMetadata }),
  ]);
  assert.deepEqual(broken, []);
  assert.deepEqual(blocks[1], {
    type: 'sources',
    sources: [
      { id: 'source-1', url: 'https://c.example/', title: 'https://c.example/' },
      { id: 'source-2', url: 'https://a.example/', title: 'A' },
      { id: 'source-3', url: 'https://b.example/', title: 'https://b.example/' },
    ],
    provider: { google: { urlContextMetadata, groundingMetadata } },
  });
});

test('[GO7] a picture that the model has drawn is a file of the conversation', async () => {
  const data = Buffer.from('png').toString('base64');
  const { blocks } = await hear([
    chunk([{ inlineData: { mimeType: 'image/png', data }, thoughtSignature: 'c2ln' }]),
    ending(),
  ]);
  assert.ok(blocks[0]?.type === 'image' && blocks[0].blob?.startsWith('sha256:') === true);
  assert.deepEqual(blocks[0].provider, signed('c2ln'));
});

test('[GO8] parts and chunks that are not known are kept whole and end nothing', async () => {
  const news = { hologram: { url: 'x' } };
  const { blocks, events } = await hear([
    chunk([{ text: 'a' }, news]),
    { weather: 'fine' },
    '5',
    chunk([{ text: 'b' }]),
    ending(),
  ]);
  const told = blocks.map((block) => (block.type === 'raw' ? block.value : block.type === 'text' ? block.text : ''));
  assert.deepEqual(told, ['a', news, { weather: 'fine' }, 5, 'b']);
  assert.deepEqual(events.at(-1), { type: 'call-end', reason: 'stop' });
});

test('[GO11] every way to end has its reason, and what a block of the prompt says is told', async () => {
  const endOf = async (...chunks: object[]): Promise<unknown> => {
    const last = (await hear(chunks)).events.at(-1);
    return last?.type === 'call-end'
      ? last.reason
      : last?.type === 'call-error'
        ? [last.error.code, last.error.message]
        : last;
  };
  const text = chunk([{ text: 'Well' }]);
  assert.equal(await endOf(text, ending('MAX_TOKENS')), 'length');
  for (const reason of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT'])
    assert.equal(await endOf(text, ending(reason)), 'refusal');
  assert.equal(await endOf(text, ending('OTHER')), 'other');
  const declined = 'google declines to answer this (SAFETY). Say it differently, or choose another model.';
  assert.deepEqual(await endOf({ promptFeedback: { blockReason: 'SAFETY' } }), ['refused', declined]);
  assert.deepEqual(await endOf(ending('SAFETY')), ['refused', declined]);
  assert.deepEqual(
    await endOf(ending('MALFORMED_FUNCTION_CALL', { finishMessage: 'Malformed function call: print(' })),
    [
      'protocol',
      'google wrote a call of a tool that cannot be read, twice (MALFORMED_FUNCTION_CALL). Say it differently, or choose another model.',
    ],
  );
});

test('[AP21] an answer that ends in a malformed call is taken back and made anew, once', async () => {
  const malformed = [chunk([{ text: 'I will look.' }]), ending('MALFORMED_FUNCTION_CALL', { finishMessage: 'print(' })];
  const call = { functionCall: { name: 'look', args: {} } };
  const { events, blocks, broken } = await hear(malformed, {}, [chunk([{ text: 'I look.' }, call]), ending()]);
  assert.deepEqual(broken, []);
  assert.deepEqual(
    blocks.map((block) => ('text' in block ? block.text : block.type)),
    ['I look.', 'tool-use'],
  );
  const told = events.filter(({ type }) => type === 'retract' || type === 'retrying' || type === 'call-end');
  assert.deepEqual(
    told.map(({ type }) => type),
    ['retract', 'retrying', 'call-end'],
  );
  const usage = events.findLast((event) => event.type === 'usage');
  assert.equal(usage?.usage.output_tokens, 14, 'both were paid for');
  const twice = await hear(malformed);
  assert.deepEqual(twice.broken, []);
  assert.deepEqual(
    [twice.events.filter(({ type }) => type === 'retrying').length, twice.events.at(-1)?.type],
    [1, 'call-error'],
  );
});

test('[GO12] arguments that come in pieces are put together, also without an end', async () => {
  const piece = (jsonPath: string, value: object, willContinue?: boolean): object => ({
    functionCall: { partialArgs: [{ jsonPath, ...value }], ...(willContinue === undefined ? {} : { willContinue }) },
  });
  const { blocks, broken } = await hear([
    chunk([{ functionCall: { name: 'write', willContinue: true }, thoughtSignature: 'c2ln' }]),
    chunk([piece('$.items[0].name', { stringValue: 'Ap', willContinue: true }, true)]),
    chunk([piece('$.items[0].name', { stringValue: 'ple' }, true)]),
    chunk([piece("$.items[1]['the price']", { numberValue: 0.5 }, true)]),
    chunk([piece('$.ok', { boolValue: true }, true)]),
    ending(),
  ]);
  assert.deepEqual(broken, []);
  assert.ok(blocks[0]?.type === 'tool-use');
  assert.deepEqual(blocks[0].parameters, { items: [{ name: 'Apple' }, { 'the price': 0.5 }], ok: true });
});

test('[GO13] usage counts thoughts as output, and what was cached and what tools have read as input', async () => {
  const { events } = await hear([chunk([{ text: 'x' }]), ending()]);
  const told = events.find((event) => event.type === 'usage');
  assert.ok(told?.type === 'usage');
  const { raw: _raw, ...usage } = told.usage;
  assert.deepEqual(usage, { input_tokens: 10, output_tokens: 7, cached_input_tokens: 4, reasoning_tokens: 2 });
});

test('[GO11] a quota for each minute is waited for as long as Google says, one for each day is not', async () => {
  const failAndRecover = async (quotaId: string): Promise<unknown[]> => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
    ];
    const error = { code: 429, message: 'You exceeded your current quota.', status: 'RESOURCE_EXHAUSTED', details };
    let calls = 0;
    const provider = createGoogleProvider({
      clock: new HastyClock(),
      random: () => 0.5,
      key: async () => 'key',
      fetch: async () => {
        calls += 1;
        if (calls === 1) return Response.json({ error }, { status: 429 });
        return new Response(`data: ${JSON.stringify(ending())}\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        });
      },
    });
    const events = await collectEvents(provider, requestSaying('Hi', { model }));
    return events.flatMap((event): unknown[] => {
      if (event.type === 'retrying') return [event.delay_ms];
      return event.type === 'call-error' ? [event.error.code] : event.type === 'call-end' ? [event.reason] : [];
    });
  };
  assert.deepEqual(await failAndRecover('GenerateRequestsPerMinutePerProjectPerModel'), [34_400, 'stop']);
  assert.deepEqual(await failAndRecover('GenerateRequestsPerDayPerProjectPerModel'), ['quota']);
});
