import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantBlock, Message, NonEmptyArray, ToolBlock, ToolMessage, ToolUseBlock } from '@loom/blocks';
import { deniedText, interruptedText } from '@loom/blocks';
import { toModelMessages } from '@loom/exchange/ai-sdk';
import { modelMessageSchema } from 'ai';
import type { ExchangeNote, ModelMessage, ToModelMessagesOptions } from '@loom/exchange/ai-sdk';

const question: Message = { role: 'user', content: [{ type: 'text', text: 'question' }] };

function call(id: string, name = 'search'): ToolUseBlock {
  return { type: 'tool-use', id, name, parameters: { q: id } };
}

function say(...content: NonEmptyArray<AssistantBlock>): Message {
  return { role: 'assistant', content };
}

function answer(tool_call_id: string, ...content: ToolBlock[]): ToolMessage {
  return { role: 'tool', tool_call_id, content };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

async function convert(
  messages: readonly Message[],
  options: ToModelMessagesOptions = {},
): Promise<{ written: ModelMessage[]; notes: ExchangeNote[]; reasons: string[] }> {
  const notes: ExchangeNote[] = [];
  const written = await toModelMessages(messages, { ...options, onNote: (note) => notes.push(note) });
  return { written, notes, reasons: notes.map((note) => note.reason) };
}

/** The shape of a conversation at a glance: roles with the types of their parts. */
function outline(messages: readonly ModelMessage[]): string[] {
  return messages.map(({ role, content }) =>
    typeof content === 'string' ? role : `${role}: ${content.map(({ type }) => type).join(' ')}`,
  );
}

/** The outputs of all results in a tool message, by call. */
function outputs(messages: readonly ModelMessage[]): unknown[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ toolCallId, output }) => [toolCallId, output]) : [],
  );
}

test('[AS1] sources, raw parts, errors and ephemeral blocks are not sent, and each is noted', async () => {
  const { written, notes } = await convert([
    say(
      text('answer'),
      { type: 'sources', sources: [{ id: '1', url: 'https://example.org/', title: 'A page' }] },
      { type: 'raw', source: 'x', value: { a: 1 } },
      { type: 'error', code: 'overloaded', message: 'try later' },
      { type: 'text', text: 'for people', ephemeral: true },
      { type: 'command', command: 'ls' },
    ),
  ]);
  assert.deepEqual(written, [{ role: 'assistant', content: [text('answer')] }]);
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    [1, 2, 3, 4].map((index) => ['not-shown', `messages[0].content[${index}]`]),
  );
});

test('[AS1] what a result holds for people is not sent either, and noted', async () => {
  const { written, notes } = await convert([
    say(call('a')),
    answer('a', text('shown'), { type: 'conversation', root: 'root-1' }, { type: 'command', command: 'ls' }),
  ]);
  assert.deepEqual(outputs(written), [['a', { type: 'text', value: 'shown' }]]);
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    [['not-shown', 'messages[1].content[1]']],
  );
});

test('[AS1] a structured view is sent as text where there is no text', async () => {
  const { written, notes } = await convert([say({ type: 'command', command: 'ls', stdout: 'a\n' })]);
  assert.deepEqual(written, [{ role: 'assistant', content: [text('$ ls\na\n')] }]);
  assert.deepEqual(notes, []);
});

test('[AS2] a call has input, a result has output and the name of its call', async () => {
  const { written } = await convert([question, say(call('c1', 'read-file')), answer('c1', text('found'))]);
  assert.deepEqual(written, [
    { role: 'user', content: [text('question')] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read-file', input: { q: 'c1' } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'read-file',
          output: { type: 'text', value: 'found' },
        },
      ],
    },
  ]);
});

test('[AS3] parallel results are one tool message in the order of the calls', async () => {
  const { written } = await convert([
    say(call('a'), call('b'), call('c')),
    answer('c', text('3')),
    answer('a', text('1')),
    answer('b', text('2')),
  ]);
  assert.deepEqual(outline(written), [
    'assistant: tool-call tool-call tool-call',
    'tool: tool-result tool-result tool-result',
  ]);
  assert.deepEqual(
    outputs(written),
    ['a', 'b', 'c'].map((id, index) => [id, { type: 'text', value: String(index + 1) }]),
  );
});

test('[AS4] text behind a call goes out after the result', async () => {
  const { written } = await convert([
    say(text('let me look'), call('a'), text('it says'), call('b'), text('done')),
    answer('a', text('1')),
    answer('b', text('2')),
  ]);
  assert.deepEqual(outline(written), [
    'assistant: text tool-call',
    'tool: tool-result',
    'assistant: text tool-call',
    'tool: tool-result',
    'assistant: text',
  ]);
});

test('[AS4] texts behind a call stay together', async () => {
  const { written } = await convert([say(call('a'), text('one'), text('two')), answer('a')]);
  assert.deepEqual(outline(written), ['assistant: tool-call', 'tool: tool-result', 'assistant: text text']);
});

test('[AS4, AS25] a call that the provider ran does not hold back what follows, one before it still does', async () => {
  const ran: AssistantBlock = { ...call('p'), provider: { 'ai-sdk': { providerExecuted: true } } };
  const results = [answer('a'), answer('p')];
  const alone = await convert([say(ran, text('so')), ...results]);
  assert.deepEqual(outline(alone.written), ['assistant: tool-call tool-result text']);
  const behind = await convert([say(call('a'), ran, text('so')), ...results]);
  assert.deepEqual(outline(behind.written), [
    'assistant: tool-call tool-call tool-result',
    'tool: tool-result',
    'assistant: text',
  ]);
});

test('[AS4] a message’s own options stay at its end', async () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const first = { ...call('a'), provider: { 'ai-sdk': { modelMessage: { providerOptions } } } };
  const { written } = await convert([say(first, text('so')), answer('a')]);
  assert.deepEqual(
    written.map((message) => message.providerOptions),
    [undefined, undefined, providerOptions],
  );
});

test('[AS4] a file behind a call goes out after the result too', async () => {
  const image: AssistantBlock = { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png' };
  const { written } = await convert([say(call('a'), image), answer('a')]);
  assert.deepEqual(outline(written), ['assistant: tool-call', 'tool: tool-result', 'assistant: file']);
});

test('[AS4] thinking and blank text behind a call go with what follows them', async () => {
  const thinking: AssistantBlock = { type: 'thinking', text: 'hm' };
  const cases: [NonEmptyArray<AssistantBlock>, string[]][] = [
    [
      [call('a'), thinking, call('b')],
      ['assistant: tool-call reasoning tool-call', 'tool: tool-result tool-result'],
    ],
    [
      [call('a'), thinking, text('so')],
      ['assistant: tool-call', 'tool: tool-result', 'assistant: reasoning text'],
    ],
    [
      [call('a'), text('\n'), call('b')],
      ['assistant: tool-call text tool-call', 'tool: tool-result tool-result'],
    ],
    [
      [call('a'), thinking],
      ['assistant: tool-call reasoning', 'tool: tool-result'],
    ],
  ];
  for (const [content, expected] of cases) {
    const { written } = await convert([say(...content), answer('a'), answer('b')]);
    assert.deepEqual(outline(written), expected);
  }
});

test('[AS5] two tool rounds, and two texts in a row, stay apart', async () => {
  const { written } = await convert([
    say(call('a')),
    answer('a'),
    say(call('b')),
    answer('b'),
    say(text('one')),
    say(text('two')),
  ]);
  assert.deepEqual(outline(written), [
    'assistant: tool-call',
    'tool: tool-result',
    'assistant: tool-call',
    'tool: tool-result',
    'assistant: text',
    'assistant: text',
  ]);
});

test('[AS6] empty and failed results are answered', async () => {
  const { written } = await convert([
    say(call('empty'), call('failed'), call('silent')),
    answer('empty'),
    { ...answer('failed', text('no such file')), is_error: true },
    { ...answer('silent'), is_error: true },
  ]);
  assert.deepEqual(outputs(written), [
    ['empty', { type: 'text', value: '' }],
    ['failed', { type: 'error-text', value: 'no such file' }],
    ['silent', { type: 'error-text', value: '' }],
  ]);
});

test('[AS7] a denied result is execution-denied, with a reason if one was given', async () => {
  const denial = { status: 'error', error: { code: 'denied', message: deniedText } } as const;
  const { written } = await convert([
    say(call('plain'), call('reasoned'), call('merely-failed'), call('not-even-failed')),
    { ...answer('plain', { ...text(deniedText), ...denial }), is_error: true },
    { ...answer('reasoned', { ...text('not on Fridays'), ...denial }), is_error: true },
    { ...answer('merely-failed', text(deniedText)), is_error: true },
    answer('not-even-failed', { ...text(deniedText), ...denial }),
  ]);
  assert.deepEqual(outputs(written), [
    ['plain', { type: 'execution-denied' }],
    ['reasoned', { type: 'execution-denied', reason: 'not on Fridays' }],
    ['merely-failed', { type: 'error-text', value: deniedText }],
    ['not-even-failed', { type: 'text', value: deniedText }],
  ]);
});

test('[AS8] a call without a result is answered as interrupted, and noted', async () => {
  const { written, notes } = await convert([say(call('a'), call('b')), answer('b', text('2')), question]);
  assert.deepEqual(outputs(written), [
    ['a', { type: 'error-text', value: interruptedText }],
    ['b', { type: 'text', value: '2' }],
  ]);
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    [['call-interrupted', 'messages[0]']],
  );
});

test('[AS9] results without a call and second results are left out and noted', async () => {
  const { written, notes } = await convert([
    answer('never', text('?')),
    say(call('a')),
    answer('a', text('first')),
    answer('a', text('second')),
    say(text('so'), { ...call('half'), status: 'running' }),
    answer('half', text('of an unfinished call')),
  ]);
  assert.deepEqual(outputs(written), [['a', { type: 'text', value: 'first' }]]);
  assert.deepEqual(outline(written), ['assistant: tool-call', 'tool: tool-result', 'assistant: text']);
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    [
      ['result-orphaned', 'messages[0]'],
      ['result-orphaned', 'messages[3]'],
      ['result-orphaned', 'messages[5]'],
      ['not-shown', 'messages[4].content[1]'],
    ],
  );
});

test('[AS10] a result behind other messages is sent right after its call, and noted', async () => {
  const { written, notes } = await convert([say(call('a')), question, answer('a', text('late'))]);
  assert.deepEqual(outline(written), ['assistant: tool-call', 'tool: tool-result', 'user: text']);
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    [['result-moved', 'messages[2]']],
  );
});

test('[AS10] where ids are used again a result answers the nearest call, in one message the first', async () => {
  const { written } = await convert([
    say(call('x')),
    say(call('x'), call('x')),
    answer('x', text('2a')),
    answer('x', text('2b')),
    answer('x', text('1')),
  ]);
  assert.deepEqual(
    outputs(written),
    ['1', '2a', '2b'].map((value) => ['x', { type: 'text', value }]),
  );
});

test('[AS11] thinking goes along with its provider data, byte for byte', async () => {
  const signature = 'ErUBCkYIBRgCIkD+/=\u00e9';
  const provider = { anthropic: { signature, nested: { b: 1, a: [null] } } };
  const { written } = await convert([say({ type: 'thinking', text: 'hm', provider }, text('so'))]);
  assert.deepEqual(written, [
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', providerOptions: provider }, text('so')] },
  ]);
});

test('[AS11] includeThinking chooses which thinking goes along', async () => {
  const messages = [say({ type: 'thinking', text: 'one' }, { type: 'thinking', text: 'two' }, text('so'))];
  const none = await convert(messages, { includeThinking: false });
  assert.deepEqual(outline(none.written), ['assistant: text']);
  assert.deepEqual(none.reasons, ['thinking-omitted', 'thinking-omitted']);
  const some = await convert(messages, { includeThinking: (block) => block.text === 'two' });
  assert.deepEqual(some.written[0]?.content, [{ type: 'reasoning', text: 'two' }, text('so')]);
  assert.deepEqual(some.reasons, ['thinking-omitted']);
});

test('[AS12] provider data that is not a JSON object stays behind; that of results always does', async () => {
  const provider = { google: { thoughtSignature: 'c2ln' }, broken: 'text', date: { at: new Date(0) } };
  const native = { provider: { cli: { stdout: 'native payload' } } };
  const image: ToolBlock = { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png', ...native };
  const { written, reasons } = await convert([
    say({ ...call('a'), provider }, call('b')),
    answer('a', { ...text('shown'), ...native }),
    answer('b', image),
  ]);
  const [spoken, result] = written;
  assert.ok(spoken?.role === 'assistant' && result?.role === 'tool');
  assert.deepEqual(spoken.content[0]?.providerOptions, { google: { thoughtSignature: 'c2ln' } });
  assert.doesNotMatch(JSON.stringify(result), /native payload/);
  assert.deepEqual(result.content[0], {
    type: 'tool-result',
    toolCallId: 'a',
    toolName: 'search',
    output: { type: 'text', value: 'shown' },
  });
  assert.deepEqual(reasons, ['provider-data-left-out', 'provider-data-left-out']);
});

test('[AS12] provider data too deep for the SDK stays behind, however deep', async () => {
  const nest = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };
  for (const [levels, expected] of [
    [50, []],
    [200, ['provider-data-left-out']],
    [50_000, ['provider-data-left-out']],
  ] as const) {
    const { written, reasons } = await convert([say({ ...text('x'), provider: { google: { deep: nest(levels) } } })]);
    assert.ok(written.every((message) => modelMessageSchema.safeParse(message).success));
    assert.deepEqual(reasons, expected);
  }
});

test('[AS13] malformed arguments are sent as an empty object, and noted', async () => {
  const inputs: [string, unknown, number][] = [
    ['{"cut off', {}, 1],
    ['[1]', {}, 1],
    ['', {}, 0],
    ['{ "q": "spaced" }', { q: 'spaced' }, 0],
  ];
  for (const [given, expected, noted] of inputs) {
    const parameters = given.includes('spaced') ? { q: 'spaced' } : {};
    const { written, reasons } = await convert([say({ ...call('a'), parameters, arguments: given }), answer('a')]);
    const [spoken] = written;
    assert.ok(spoken?.role === 'assistant' && spoken.content[0]?.type === 'tool-call');
    assert.deepEqual(spoken.content[0].input, expected);
    assert.deepEqual(reasons, Array(noted).fill('arguments-malformed'));
  }
});

const blob = `sha256:${'ab'.repeat(32)}`;

test('[AS14] files of any media type are file parts, by URL or as the bytes of a blob', async () => {
  const bytes = Uint8Array.of(137, 80, 78, 71);
  const asked: string[] = [];
  const { written, notes } = await convert(
    [
      {
        role: 'user',
        content: [
          { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png' },
          { type: 'image', media_type: 'application/pdf', blob, filename: 'report.pdf' },
        ],
      },
    ],
    { loadBlob: async (id) => (asked.push(id), bytes) },
  );
  assert.deepEqual(written[0]?.content, [
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.org/a.png') } },
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: bytes }, filename: 'report.pdf' },
  ]);
  assert.deepEqual(asked, [blob]);
  assert.deepEqual(notes, []);
});

test('[AS15] a file that cannot be had becomes a placeholder text and a note', async () => {
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'image', media_type: 'image/png', blob, filename: 'cat.png' }] },
    { role: 'user', content: [{ type: 'image', media_type: 'image/png', url: '/relative.png' }] },
  ];
  for (const options of [{}, { loadBlob: async () => undefined }]) {
    const { written, reasons } = await convert(messages, options);
    assert.deepEqual(
      written.map(({ content }) => content),
      [[text('[image/png: cat.png (not available)]')], [text('[image/png: /relative.png (not available)]')]],
    );
    assert.deepEqual(reasons, ['file-unavailable', 'file-unavailable']);
  }
});

test('[AS15] a store that fails makes the conversion fail', async () => {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'image', media_type: 'image/png', blob }] }];
  const loadBlob = (): Promise<never> => Promise.reject(new Error('disk on fire'));
  await assert.rejects(toModelMessages(messages, { loadBlob }), /disk on fire/);
});

test('[AS16] a result of several blocks or with a file is content', async () => {
  const { written } = await convert([
    say(call('texts'), call('shot')),
    answer('texts', text('one'), text('two')),
    answer('shot', { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png' }),
  ]);
  assert.deepEqual(outputs(written), [
    ['texts', { type: 'content', value: [text('one'), text('two')] }],
    [
      'shot',
      {
        type: 'content',
        value: [
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.org/a.png') } },
        ],
      },
    ],
  ]);
});

test('[AS16] in a failed result a placeholder stands for a file', async () => {
  const image: ToolBlock = { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png' };
  const { written, reasons } = await convert([say(call('a')), { ...answer('a', text('bad'), image), is_error: true }]);
  assert.deepEqual(outputs(written), [
    ['a', { type: 'error-text', value: 'bad\n[image/png: https://example.org/a.png (not available)]' }],
  ]);
  assert.deepEqual(reasons, ['file-in-error']);
});

test('[AS17] a message with nothing for a model in it is left out, one of blank text is not', async () => {
  const { written, reasons } = await convert([
    { role: 'user', content: [{ type: 'raw', source: 'x', value: null }] },
    { role: 'user', content: [text(' ')] },
    say({ type: 'thinking', text: 'half', status: 'running' }),
  ]);
  assert.deepEqual(written, [{ role: 'user', content: [text(' ')] }]);
  assert.deepEqual(reasons, ['not-shown', 'nothing-visible', 'not-shown', 'nothing-visible']);
});

test('[AS18] the system prompt is the first message, if there is one', async () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const { written } = await convert([question], { systemPrompt: 'be brief', systemDetails: { providerOptions } });
  assert.deepEqual(written[0], { role: 'system', content: 'be brief', providerOptions });
  assert.deepEqual(outline((await convert([question])).written), ['user: text']);
});
