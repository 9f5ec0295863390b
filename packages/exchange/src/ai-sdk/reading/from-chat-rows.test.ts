import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksShownToModel, isMessage } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { fromChatRows, toModelMessages, toUIMessages } from '@loom/exchange/ai-sdk';
import type { ReadConversation } from '@loom/exchange/ai-sdk';
import { modelMessageSchema } from 'ai';

function read(...rows: unknown[]): ReadConversation {
  const conversation = fromChatRows(rows);
  assert.ok(conversation.messages.every(isMessage));
  return conversation;
}

/** Returns the messages that reach a model: roles with text, or with the types of the parts. */
async function sent(messages: readonly Message[]): Promise<unknown[]> {
  const written = await toModelMessages(messages);
  for (const message of written) assert.ok(modelMessageSchema.safeParse(message).success);
  return written.map(({ role, content }) => [
    role,
    ...(typeof content === 'string'
      ? [content]
      : content.map((part) => {
          if (part.type === 'text' || part.type === 'reasoning') return part.text;
          return part.type === 'tool-result' ? part.output : part.type;
        })),
  ]);
}

const user = { role: 'user', rawContent: 'list the files' };
const shell = { type: 'tool', command: 'ls', commandId: 'cmd-1', content: 'a.txt\n' };
const search = {
  type: 'agent-tool',
  toolName: 'search',
  toolArgs: { query: 'loom' },
  toolCallId: 'c1',
  content: 'found',
};

test('[CR1] a user row is its text, even if that is JSON', () => {
  const json = '{"parts":[{"type":"text","content":"x"}]}';
  const { messages, notes } = read(user, { role: 'user', content: json }, { role: 'user', rawContent: '' });
  assert.deepEqual(messages, [
    { role: 'user', content: [{ type: 'text', text: 'list the files' }] },
    { role: 'user', content: [{ type: 'text', text: json }] },
    { role: 'user', content: [{ type: 'text', text: '' }] },
  ]);
  assert.deepEqual(notes, []);
});

test('[CR2] iterations reach the model as assistant text and, where there was output, as user text', async () => {
  const iterations = [
    { rawContent: '<shell>ls</shell>', toolOutput: 'a.txt' },
    { rawContent: '', toolOutput: 'b.txt' },
    { rawContent: 'there is a.txt', toolOutput: '' },
    { rawContent: 'bye', toolOutput: null },
  ];
  const { messages } = read(user, { role: 'assistant', rawContent: 'x', iterations });
  assert.deepEqual(await sent(messages), [
    ['user', 'list the files'],
    ['assistant', '<shell>ls</shell>'],
    ['user', '[Tool Output]\na.txt'],
    ['user', '[Tool Output]\nb.txt'],
    ['assistant', 'there is a.txt'],
    ['assistant', 'bye'],
  ]);
});

test('[CR3] text, reasoning and sources are blocks; sources stay outside the model’s view', async () => {
  const sources = [{ id: '1', url: 'https://example.org/', title: 'A page' }];
  const parts = [
    { type: 'reasoning', content: 'hm' },
    { type: 'text', content: 'so' },
    { type: 'sources', sources: [...sources, { url: 'https://example.org/b' }] },
  ];
  const { messages } = read({ role: 'assistant', rawContent: 'so', parts });
  assert.deepEqual(messages, [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'so' },
        { type: 'sources', sources: [...sources, { id: '', url: 'https://example.org/b', title: '' }] },
      ],
    },
  ]);
  assert.deepEqual(await sent(messages), [['assistant', 'hm', 'so']]);
});

test('[CR4] a tool part with an id is a call and its result, empty results included', async () => {
  const { content: _never, ...unanswered } = search;
  const parts = [search, { ...search, toolCallId: 'c2', content: '' }, { ...unanswered, toolCallId: 'c3' }];
  const { messages } = read({ role: 'assistant', rawContent: '', parts });
  const call = { type: 'tool-use', name: 'search', parameters: { query: 'loom' } };
  assert.deepEqual(messages, [
    { role: 'assistant', content: ['c1', 'c2', 'c3'].map((id) => ({ ...call, id })) },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found' }] },
    { role: 'tool', tool_call_id: 'c2', content: [] },
  ]);
  const [, answers] = await sent(messages);
  assert.deepEqual(answers, [
    'tool',
    { type: 'text', value: 'found' },
    { type: 'text', value: '' },
    { type: 'error-text', value: 'The tool call was interrupted before it returned a result.' },
  ]);
});

test('[CR5] text or reasoning behind a call begins the next round', async () => {
  const again = (id: string): object => ({ ...search, toolCallId: id });
  const parts = [
    { type: 'text', content: 'first' },
    again('a'),
    again('b'),
    { type: 'reasoning', content: 'hm' },
    again('c'),
    { type: 'text', content: 'almost' },
    { type: 'text', content: 'last' },
  ];
  const { messages } = read({ role: 'assistant', rawContent: '', parts });
  const found = { type: 'text', value: 'found' };
  assert.deepEqual(await sent(messages), [
    ['assistant', 'first', 'tool-call', 'tool-call'],
    ['tool', found, found],
    ['assistant', 'hm', 'tool-call'],
    ['tool', found],
    ['assistant', 'almost', 'last'],
  ]);
});

test('[CR6] tool parts without an id of a call become commands that are not sent as calls', async () => {
  const parts = [
    { type: 'text', content: 'let me look' },
    shell,
    { ...search, toolCallId: undefined },
    { type: 'agent-tool', toolName: 'execute_shell', toolArgs: { command: 'pwd' }, toolCallId: '', content: '/home' },
  ];
  const { messages } = read({ role: 'assistant', rawContent: '', parts });
  assert.deepEqual(messages, [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'let me look' },
        { type: 'command', command: 'ls', stdout: 'a.txt\n', ephemeral: true, metadata: { commandId: 'cmd-1' } },
        {
          type: 'command',
          command: 'search {"query":"loom"}',
          stdout: 'found',
          ephemeral: true,
          metadata: { toolName: 'search', toolArgs: { query: 'loom' } },
        },
        {
          type: 'command',
          command: 'pwd',
          stdout: '/home',
          ephemeral: true,
          metadata: { toolName: 'execute_shell', toolArgs: { command: 'pwd' } },
        },
      ],
    },
  ]);
  assert.deepEqual(await sent(messages), [['assistant', 'let me look']]);
});

test('[CR6] commands without any text beside them never reach a model, also not as text', async () => {
  const loose = { ...search, toolCallId: undefined };
  for (const part of [shell, loose, { ...loose, toolCallId: '' }]) {
    const { messages } = read({ role: 'assistant', rawContent: '', parts: [part] });
    assert.deepEqual(messages.flatMap(blocksShownToModel), []);
    assert.deepEqual(await sent([...read(user).messages, ...messages]), [['user', user.rawContent]]);
    assert.equal(messages[0]?.content[0]?.type, 'command', 'people see it');
  }
});

test('[CR7] a stored row has iterations and parts as JSON in its content', async () => {
  const iterations = [{ rawContent: 'one', toolOutput: 'out' }];
  const parts = [{ type: 'text', content: 'two' }];
  const byIterations = [
    ['assistant', 'one'],
    ['user', '[Tool Output]\nout'],
  ];
  const cases: [object, unknown[], string[]][] = [
    [{ iterations }, byIterations, []],
    [{ iterations, parts: [] }, byIterations, []],
    [{ iterations, parts }, [['assistant', 'two']], ['iterations-superseded']],
    [{ parts }, [['assistant', 'two']], []],
  ];
  for (const [body, expected, reasons] of cases) {
    const text = JSON.stringify(body);
    for (const row of [{ content: text }, { rawContent: text }, { content: body }, { rawContent: 'flat', ...body }]) {
      const { messages, notes } = read({ role: 'assistant', ...row });
      assert.deepEqual(await sent(messages), expected);
      assert.deepEqual(
        notes.map(({ reason }) => reason),
        reasons,
      );
    }
  }
});

test('[CR8] a row of UI parts is read as the UI message that it is', async () => {
  const parts = [
    { type: 'step-start' },
    { type: 'text', text: 'let me look' },
    { type: 'tool-search', toolCallId: 'c1', state: 'output-available', input: {}, output: 'found' },
    { type: 'hologram' },
  ];
  const { messages, notes } = read(
    { role: 'user', id: 'u1', parts: [{ type: 'text', text: 'hi' }] },
    { role: 'assistant', id: 'a1', content: JSON.stringify({ parts }) },
  );
  assert.deepEqual(await sent(messages), [
    ['user', 'hi'],
    ['assistant', 'let me look', 'tool-call'],
    ['tool', { type: 'text', value: 'found' }],
  ]);
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    [['kept-raw', 'rows[1].parts[3]']],
  );
  assert.deepEqual(
    (await toUIMessages(messages)).map(({ id }) => id),
    ['u1', 'a1'],
  );
});

test('[CR9] an assistant row with neither parts nor iterations is its text', () => {
  for (const row of [
    { rawContent: 'hello' },
    { content: 'hello' },
    { rawContent: 'hello', parts: null, iterations: [] },
  ]) {
    assert.deepEqual(read({ role: 'assistant', ...row }).messages, [
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
    ]);
  }
  const json = '{"answer":42}';
  assert.deepEqual(read({ role: 'assistant', content: json }).messages[0]?.content, [{ type: 'text', text: json }]);
});

test('[CR10] rows that make no sense are kept whole and noted', () => {
  const rows = [
    null,
    7,
    'text',
    { role: 'narrator', rawContent: 'x' },
    { role: 'user' },
    { role: 'assistant', rawContent: 9 },
    { role: 'assistant', parts: 'all' },
    { role: 'assistant', content: '{"iterations":[]}' },
  ];
  const { messages, notes } = read(...rows);
  assert.deepEqual(
    messages.map(({ content }) => content.map((block) => block.type === 'raw' && [block.source, block.value])),
    rows.map((row) => [['chat-rows', row]]),
  );
  assert.deepEqual(
    notes.map(({ reason, path }) => [reason, path]),
    rows.map((_, index) => ['kept-raw', `rows[${index}]`]),
  );
});

test('[CR10] parts and iterations that make no sense are kept in their place', () => {
  const odd = [{ type: 'agent-tool' }, { type: 'sources', sources: 'none' }, 5];
  const { messages, notes } = read(
    { role: 'assistant', rawContent: '', parts: [{ type: 'text', content: 'so' }, ...odd] },
    { role: 'assistant', rawContent: '', iterations: [{ rawContent: 'one' }, { toolOutput: 'x' }] },
  );
  const raw = (value: unknown): object => ({ type: 'raw', source: 'chat-rows', value });
  assert.deepEqual(messages, [
    { role: 'assistant', content: [{ type: 'text', text: 'so' }, ...odd.map(raw)] },
    { role: 'assistant', content: [{ type: 'text', text: 'one' }] },
    { role: 'assistant', content: [raw({ toolOutput: 'x' })] },
  ]);
  assert.deepEqual(
    notes.map(({ path }) => path),
    ['rows[0].parts[1]', 'rows[0].parts[2]', 'rows[0].parts[3]', 'rows[1].iterations[1]'],
  );
});

test('[CR11] a row’s other fields are those of its UI message', async () => {
  const { messages } = read(
    { ...user, id: 'r1', createdAt: '2026-01-26' },
    { role: 'assistant', rawContent: '', id: 'r2', parts: [search, { type: 'text', content: 'so' }] },
  );
  const written = await toUIMessages(messages);
  assert.deepEqual(
    written.map(({ id, role }) => [id, role]),
    [
      ['r1', 'user'],
      ['r2', 'assistant'],
    ],
  );
  assert.equal(Reflect.get(written[0] ?? {}, 'createdAt'), '2026-01-26');
});

test('[CR12] a system row at the top is the prompt, elsewhere it is kept as raw', () => {
  const system = { role: 'system', rawContent: 'be brief' };
  const { systemPrompt, messages } = read(system, user, system);
  assert.equal(systemPrompt, 'be brief');
  assert.deepEqual(
    messages.map(({ content }) => content[0]?.type),
    ['text', 'raw'],
  );
});
