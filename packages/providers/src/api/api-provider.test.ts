import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { frozenClock } from '@loom/kernel/testing';
import { createAnthropicProvider } from '../anthropic/index.ts';
import { anthropicWire } from '../testing/emulators/anthropic.ts';
import { conversationText, startEmulator } from '../testing/emulators/core.ts';
import type { Emulator, Script } from '../testing/emulators/core.ts';
import { inspectEvents } from '../testing/event-rules.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import type { Answer } from '../testing/scenarios.ts';
import { callWith, collectEvents, requestSaying } from '../testing/streams.ts';
import type { ApiDependencies } from './api.ts';
import { saidMessages } from '../testing/said-messages.ts';

const request = requestSaying('Hello.', { model: 'claude-opus-4-8' });

/** Runs a provider in front of an emulator that follows a script. */
async function withProvider(
  script: Script,
  run: (provider: Provider, emulator: Emulator) => Promise<void>,
  more: Partial<ApiDependencies> = {},
): Promise<void> {
  const emulator = await startEmulator(anthropicWire, script);
  const usual = { clock: new HastyClock(), random: () => 0.5, key: async () => 'key', baseURL: `${emulator.url}/v1` };
  try {
    await run(createAnthropicProvider({ ...usual, ...more }), emulator);
  } finally {
    await emulator.close();
  }
}

function errorOf(events: readonly ProviderEvent[]): unknown {
  const last = events.at(-1);
  return last?.type === 'call-error' ? last.error : last;
}

test('[AP12] without a key nothing is sent, and the answer says what to do', async () => {
  const keyless = { key: async () => undefined };
  await withProvider(
    () => ({ said: [] }),
    async (provider, emulator) => {
      const error = errorOf(await collectEvents(provider, request));
      const message = 'There is no key for anthropic. Set one, or choose a model of another provider.';
      assert.deepEqual(error, { code: 'auth', message });
      assert.equal(emulator.requests.length, 0);
    },
    keyless,
  );
});

test('[AP12] a key that cannot be found out is told as an error', async () => {
  const failing = { key: () => Promise.reject(new Error('the command for the key failed')) };
  await withProvider(
    () => ({ said: [] }),
    async (provider) => {
      const error = errorOf(await collectEvents(provider, request));
      const message = 'The request for anthropic could not be made: the command for the key failed';
      assert.deepEqual(error, { code: 'invalid-request', message });
    },
    failing,
  );
});

test('[AP11] a web page in place of an answer is told as what it is, and not asked for again', async () => {
  let asked = 0;
  const fetch = async (): Promise<Response> => {
    asked += 1;
    return new Response('<html><title>Login</title></html>', {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  };
  await withProvider(
    () => ({ said: [] }),
    async (provider) => {
      const message =
        'A web page came in place of the answer of anthropic. Check the address that is set for anthropic, and whether the network wants a login first.';
      assert.deepEqual(errorOf(await collectEvents(provider, request)), { code: 'protocol', message });
      assert.equal(asked, 1);
    },
    { fetch },
  );
});

const strangeAnswers: [what: string, answer: () => Response, error: object, asked: number][] = [
  [
    'an answer of no bytes, which may pass',
    () => new Response('', { headers: { 'content-type': 'text/event-stream' } }),
    {
      code: 'failed',
      message:
        'anthropic answered 200 with an empty body. Try again later; if it stays so, check the address that is set for anthropic.',
    },
    5,
  ],
  [
    'an answer without a body',
    () => new Response(null, { status: 204 }),
    {
      code: 'failed',
      final: true,
      message:
        'anthropic answered 204 with an empty body. Try again later; if it stays so, check the address that is set for anthropic.',
    },
    1,
  ],
  [
    'lines of JSON',
    () =>
      new Response('{"model":"a","done":false}\n{"model":"a","done":true}\n', {
        headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
      }),
    {
      code: 'protocol',
      message:
        'anthropic answered with something else than a stream of events (application/x-ndjson: {"model":"a","done":false} {"model":"a","done":true}). Check the address that is set for anthropic: another path of the server may be meant.',
    },
    1,
  ],
];

for (const [what, answer, error, times] of strangeAnswers) {
  test(`[AP19] ${what} is told as what it is`, async () => {
    let asked = 0;
    const fetch = async (): Promise<Response> => {
      asked += 1;
      return answer();
    };
    await withProvider(
      () => ({ said: [] }),
      async (provider) => {
        assert.deepEqual(errorOf(await collectEvents(provider, request)), error);
        assert.equal(asked, times);
      },
      { fetch },
    );
  });
}

test('[AP18] a server that does not speak HTTP is not asked again', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('SSH-2.0-OpenSSH_9.9\r\n', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await withProvider(
    () => ({ said: [] }),
    async (provider) => {
      const events = await collectEvents(provider, request);
      assert.deepEqual(errorOf(events), {
        code: 'network',
        final: true,
        message:
          'What answers at the address of anthropic does not speak HTTP. Check the address that is set for anthropic, and its port.',
      });
      assert.equal(events.length, 2);
    },
    { baseURL: `http://127.0.0.1:${port}/v1` },
  );
  await new Promise((resolve) => server.close(resolve));
});

test('[AP1] an event that is not known is kept though it is the first, and the answer goes on', async () => {
  const events = [
    { type: 'weather', forecast: 'rain' },
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'c',
        content: [],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const body = `\uFEFF${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}`;
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  await withProvider(
    () => ({ said: [] }),
    async (provider) => {
      const told = await collectEvents(provider, request);
      assert.deepEqual(told[1], {
        type: 'block',
        message: 'answer',
        role: 'assistant',
        block: { type: 'raw', source: 'anthropic', value: { type: 'weather', forecast: 'rain' } },
      });
      const usage = told.find((event) => event.type === 'usage');
      assert.equal(usage?.usage.input_tokens, 3);
      assert.deepEqual(told.at(-1), { type: 'call-end', reason: 'stop' });
    },
    { fetch },
  );
});

test('[AP20] an answer with more than 128 calls is not listened to any longer, and fails', async () => {
  const said = Array.from({ length: 130 }, (_, index) => ({ call: 'look', arguments: '{}', id: `call_${index}` }));
  await withProvider(
    () => ({ said }),
    async (provider) => {
      const events = await collectEvents(provider, { ...request, tools: scenarioTools });
      assert.deepEqual(inspectEvents(events, false).violations, []);
      assert.equal(events.filter(({ type }) => type === 'block-start').length, 128);
      const error = errorOf(events);
      assert.match(JSON.stringify(error), /"protocol".*more than 128 calls in one answer.*none of them is run/);
    },
  );
});

test('[AP17] a line without end is left in time, said as that and not asked for again', async () => {
  let [asked, isLeft] = [0, false];
  const megabyte = new Uint8Array(2 ** 20).fill(97);
  const fetch = async (): Promise<Response> => {
    asked += 1;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(megabyte),
      cancel: () => void (isLeft = true),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  await withProvider(
    () => ({ said: [] }),
    async (provider) => {
      const message =
        'anthropic has sent a line of more than 64 MB, and was not listened to any longer. Check the address that is set for anthropic.';
      assert.deepEqual(errorOf(await collectEvents(provider, request)), { code: 'protocol', message });
      assert.deepEqual([asked, isLeft], [1, true]);
    },
    { fetch },
  );
});

test('[AP8] a stop while it waits for another attempt ends the call at once', async () => {
  const clock = frozenClock();
  const overloaded: Script = () => ({ said: [], failure: { kind: 'status', status: 529 } });
  await withProvider(
    overloaded,
    async (provider, emulator) => {
      const controller = new AbortController();
      const events: ProviderEvent[] = [];
      for await (const event of provider.stream(request, callWith(controller.signal))) {
        events.push(event);
        if (event.type === 'retrying') setImmediate(() => controller.abort());
      }
      assert.deepEqual(errorOf(events), { code: 'stopped', message: 'The answer was stopped before its end.' });
      assert.equal(clock.waiting(), 0);
      assert.equal(emulator.requests.length, 1);
    },
    { clock },
  );
});

test('[AP6] what a stopped call has cost until then is told', async () => {
  const script: Script = () => ({
    said: [{ say: 'Now it' }, { say: ' works.' }],
    usage: { input: 5, cached: 100, written: 20, output: 50 },
    failure: { kind: 'held', after: 'Now it' },
  });
  await withProvider(script, async (provider, emulator) => {
    const controller = new AbortController();
    const events: ProviderEvent[] = [];
    for await (const event of provider.stream(request, callWith(controller.signal))) {
      events.push(event);
      if (event.type === 'block-delta') controller.abort();
    }
    assert.deepEqual(events.at(-2), {
      type: 'usage',
      usage: { input_tokens: 125, output_tokens: 1, cached_input_tokens: 100, cache_write_tokens: 20 },
    });
    assert.equal(await emulator.requests[0]?.isLeft, true, 'the connection stays open');
  });
});

test('[AP8] a reader that leaves closes the connection', async () => {
  const script: Script = () => ({
    said: [{ say: 'Now it' }, { say: '.' }],
    failure: { kind: 'held', after: 'Now it' },
  });
  await withProvider(script, async (provider, emulator) => {
    for await (const event of provider.stream(request, callWith(new AbortController().signal))) {
      if (event.type === 'block-delta') break;
    }
    assert.equal(await emulator.requests[0]?.isLeft, true);
  });
});

test('[AP7] a server that cannot be reached is a network error, and is tried again', async () => {
  const emulator = await startEmulator(anthropicWire, () => ({ said: [] }));
  await emulator.close();
  const clock = new HastyClock();
  const baseURL = `${emulator.url}/v1`;
  const provider = createAnthropicProvider({ clock, random: () => 0, key: async () => 'key', baseURL });
  const events = await collectEvents(provider, request);
  assert.equal(events.filter(({ type }) => type === 'retrying').length, 4);
  assert.deepEqual(errorOf(events), {
    code: 'network',
    message: 'anthropic could not be reached (ECONNREFUSED). Check the connection and the address that is set for it.',
  });
});

test('[AP13] a tool whose name the API does not accept is called by its own name', async () => {
  const script: Script = () => ({ said: [{ call: 'block_read', arguments: '{}', id: 'call_1' }] });
  await withProvider(script, async (provider, emulator) => {
    const tools = ['block.read', 'block_read'].map((name) => ({ name, description: name, parameters: {} }));
    const events = await collectEvents(provider, { ...request, tools });
    const begun = events.find((event) => event.type === 'block-start');
    assert.equal(begun?.block.type === 'tool-use' && begun.block.name, 'block.read');
    assert.match(emulator.requests[0]?.body ?? '', /"name":"block_read".*"name":"block_read_2"/);
  });
});

test('[AP13] what is left out of a request is noted', async () => {
  const script: Script = () => ({ said: [{ say: 'Ok.' }] });
  await withProvider(script, async (provider) => {
    const song = { type: 'image' as const, media_type: 'audio/mp3', url: 'https://a.example/song.mp3' };
    const events = await collectEvents(provider, { ...request, messages: [{ role: 'user', content: [song] }] });
    assert.deepEqual(events[1], {
      type: 'note',
      data: { left_out: [{ what: 'file', why: 'A file of type audio/mp3 is not a file that this model can take.' }] },
    });
  });
});

test('[AP14] a provider with another name keeps its data under that name, and gets it back', async () => {
  const script: Script = () => ({ said: [{ think: 'Hm.' }, { say: 'Yes.' }] });
  await withProvider(
    script,
    async (provider, emulator) => {
      assert.equal(provider.id, 'work');
      const said = saidMessages(await collectEvents(provider, request));
      const thought = said[0]?.content[0];
      assert.deepEqual(Object.keys(thought?.provider ?? {}), ['work']);
      await collectEvents(provider, { ...request, messages: [...request.messages, ...said, ...request.messages] });
      assert.match(emulator.requests[1]?.body ?? '', /"type":"thinking","thinking":"Hm.","signature":"/);
    },
    { id: 'work' },
  );
});

const halfSearch: Answer = {
  said: [{ say: 'I search. ' }, { search: 'a', id: 'srvtoolu_1', found: [{ url: 'https://a.example', title: 'A' }] }],
  end: 'pause',
  usage: { input: 10, output: 5 },
};

test('[AP16] an answer that was only paused goes on in the same call, and costs the sum', async () => {
  const script: Script = (_asked, _request, count) => {
    return count === 1 ? halfSearch : { said: [{ say: 'Found.' }], usage: { input: 30, output: 2 } };
  };
  await withProvider(script, async (provider, emulator) => {
    const events = await collectEvents(provider, request);
    assert.deepEqual(inspectEvents(events, false).violations, []);
    const said = saidMessages(events);
    assert.deepEqual(
      said.map(({ role, content }) => [role, ...content.map(({ type }) => type)]),
      [
        ['assistant', 'text', 'tool-use'],
        ['tool', 'text'],
        ['assistant', 'text', 'sources'],
      ],
    );
    const usage = events.findLast((event) => event.type === 'usage');
    assert.equal(usage?.usage.input_tokens, 40);
    assert.equal(usage?.usage.output_tokens, 7);
    const [first, second] = emulator.requests.map((received) => conversationText(anthropicWire, received));
    assert.ok(second?.startsWith(first ?? 'none'));
    assert.match(
      second ?? '',
      /"role":"assistant","content":\[\{"type":"text","text":"I search. "\},\{"type":"server_tool_use".*\]\}$/,
    );
  });
});

test('[AP16] a provider that pauses again and again is not asked for ever', async () => {
  await withProvider(
    () => ({ said: [{ say: 'Well. ' }], end: 'pause' }),
    async (provider, emulator) => {
      const events = await collectEvents(provider, { ...request, model: 'claude-sonnet-4-5' });
      assert.deepEqual(inspectEvents(events, false).violations, []);
      assert.deepEqual(events.at(-1), { type: 'call-end', reason: 'other' });
      assert.equal(emulator.requests.length, 11);
    },
  );
});

test('[AP23] a setting that the model does not take is named, once in a conversation', async () => {
  const script: Script = () => ({ said: [{ say: 'Yes.' }] });
  await withProvider(script, async (provider) => {
    const asked = { ...request, settings: { seed: 7, topK: 3 } };
    const notesOf = async (sent: typeof asked): Promise<unknown[]> =>
      (await collectEvents(provider, sent)).flatMap((event) => (event.type === 'note' ? [event.data] : []));
    const [note, ...more] = await notesOf(asked);
    assert.deepEqual(more, []);
    const leftOut = ['seed', 'topK'].map((name) => {
      return { what: 'setting', why: `claude-opus-4-8 does not take the setting ${name}, so it was left out.` };
    });
    assert.deepEqual(note, { left_out: leftOut });
    const [first] = leftOut;
    assert.deepEqual(
      await notesOf({ ...asked, trail: [{ node: 'n1', role: 'assistant', note: { left_out: leftOut } }] }),
      [],
    );
    const [rest] = await notesOf({ ...asked, trail: [{ node: 'n1', role: 'assistant', note: { left_out: [first] } }] });
    assert.deepEqual(rest, { left_out: leftOut.slice(1) });
  });
});
