import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageBlock } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing';
import { temporaryDirectory } from '@loom/kernel/testing';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tally } from '../../foreign/foreign.ts';
import { ItemForest } from '../../foreign/testing/item-forest.ts';
import { chatFormats } from '../chat-formats.ts';
import { readChats, recognizeChats } from '../read-chats.ts';
import { fileOf } from '../testing/zip-file.ts';

const call = { id: 'c1', identifier: 'web', apiName: 'search', arguments: '{"q":"rain"}', type: 'builtin' };
const second = { ...call, id: 'c2', arguments: '{"q":"snow"}' };

/** One topic with a branch, two calls at once, thoughts, sources and usage, as each version writes its messages. */
const spoken = [
  { id: 'u1', role: 'user', content: 'Will it rain?' },
  {
    id: 'a1',
    role: 'assistant',
    parentId: 'u1',
    content: 'Let me see.',
    model: 'claude-x',
    provider: 'anthropic',
    reasoning: { content: 'I look it up.', signature: 'sig' },
    metadata: { totalInputTokens: 20, totalOutputTokens: 5, inputCachedTokens: 8, cost: 0.01 },
    tools: [call, second],
  },
  { id: 't1', role: 'tool', parentId: 'a1', content: 'Rain', tool_call_id: 'c1', pluginState: { hits: 1 } },
  { id: 't2', role: 'tool', parentId: 'a1', content: '', tool_call_id: 'c2', pluginError: { message: 'No answer' } },
  {
    id: 'a2',
    role: 'assistant',
    parentId: 't1',
    content: 'It rains.',
    search: { citations: [{ url: 'https://example.org/', title: 'Weather' }] },
  },
  { id: 'a3', role: 'assistant', parentId: 'u1', content: 'Another answer' },
  {
    id: 'u2',
    role: 'user',
    parentId: 'a2',
    content: 'Thanks',
    imageList: [{ id: 'i', url: 'https://example.org/i.png' }],
  },
].map((message, index) => ({ ...message, createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString() }));

const expected = [
  ['u1', undefined, 'user', 'Will it rain?'],
  ['a1', 'u1', 'assistant', 'I look it up. | Let me see. | web____search | web____search'],
  ['t1', 'a1', 'tool', 'Rain | raw'],
  ['t2', 't1', 'tool', 'No answer'],
  ['a2', 't2', 'assistant', 'It rains. | sources'],
  ['u2', 'a2', 'user', 'Thanks | image'],
  ['a3', 'u1', 'assistant', 'Another answer'],
];

const topic = { version: '2.0', title: 'Weather', messages: spoken, exportedAt: '2026-01-02T00:00:00.000Z' };
const tables = {
  mode: 'pglite',
  schemaHash: 'hash',
  data: {
    // Rows of tables come in any order, and plugin data has a separate table.
    messages: spoken
      .map(({ tool_call_id: _id, pluginState: _state, pluginError: _error, ...message }) => ({
        parentId: null,
        threadId: null,
        ...message,
        topicId: 'topic-1',
        sessionId: null,
      }))
      .reverse(),
    messagePlugins: spoken
      .filter(({ role }) => role === 'tool')
      .map(({ id, tool_call_id, pluginState, pluginError }) => ({
        id,
        toolCallId: tool_call_id,
        state: pluginState ?? null,
        error: pluginError ?? null,
        identifier: 'web',
        apiName: 'search',
        intervention: null,
      })),
    topics: [{ id: 'topic-1', title: 'Weather', sessionId: 'session-1', historySummary: 'Short' }],
    agents: [{ id: 'agent-1', systemRole: 'Be brief.' }],
    agentsToSessions: [{ agentId: 'agent-1', sessionId: 'session-1' }],
  },
};

async function read(value: unknown): Promise<{ forest: ItemForest; tally: Tally }> {
  const file = fileOf(typeof value === 'string' ? value : JSON.stringify(value));
  assert.equal(await recognizeChats(file), 'lobe');
  const [tally, forest] = [new Tally(), new ItemForest()];
  for await (const batch of readChats(file, 'lobe', tally)) forest.apply(batch);
  const { read: all, used, raw, reported } = tally.counts;
  assert.equal(all, used + raw + reported);
  for (const { blocks } of forest.nodes.values())
    for (const { block } of blocks) assert.ok(messageBlock.safeParse(block).success, JSON.stringify(block));
  return { forest, tally };
}

function outline(forest: ItemForest): unknown[][] {
  return [...forest.nodes.values()].map(({ id, parent, role, blocks }) => [
    id,
    parent,
    role,
    blocks
      .map(({ block }) => (block.type === 'tool-use' ? block.name : 'text' in block ? block.text : block.type))
      .join(' | '),
  ]);
}

test('[CE18] LobeChat: the export of a topic and that of the tables come to the same tree, with results below each other', async () => {
  const [one, whole] = [await read(topic), await read(tables)];
  assert.deepEqual(outline(one.forest), expected);
  assert.deepEqual(outline(whole.forest), expected);
  const node = (id: string) => whole.forest.nodes.get(`topic-1\n${id}`);
  assert.deepEqual(
    ['t1', 't2'].map((id) => [node(id)?.tool, node(id)?.tool_call_id, node(id)?.source]),
    [
      ['result', 'c1', { type: 'tool_result', tool_name: 'web____search' }],
      ['error', 'c2', { type: 'tool_result', tool_name: 'web____search' }],
    ],
  );
  const [thought] = node('a1')?.blocks ?? [];
  assert.deepEqual(thought?.block, {
    type: 'thinking',
    text: 'I look it up.',
    provider: { anthropic: { signature: 'sig' } },
  });
  assert.partialDeepStrictEqual(node('a1')?.source, {
    provider: 'anthropic',
    model_name: 'claude-x',
    usage: { input_tokens: 20, output_tokens: 5, cached_input_tokens: 8, cost_usd: 0.01 },
  });
  assert.deepEqual(
    [...one.forest.conversations.values(), ...whole.forest.conversations.values()].map(
      ({ id, aliases, title, systemPrompt, details }) => [id, aliases, title, systemPrompt, details],
    ),
    [
      ['message/u1', undefined, 'Weather', undefined, undefined],
      ['topic-1', ['message/u1'], 'Weather', 'Be brief.', { summary: 'Short' }],
    ],
  );
});

test('[CE18] LobeChat: messages of older versions that name no parent follow the one before, apart by topic and session', async () => {
  const message = (id: string, more: object) => ({ id, sessionId: 'inbox', ...more });
  const state = {
    messages: [
      message('u1', { role: 'user', content: 'Hi', topicId: 't', createdAt: 1 }),
      message('a1', { role: 'assistant', content: 'Hello', parentId: 'u1', topicId: 't', createdAt: 2 }),
      message('u2', { role: 'user', content: 'A joke?', topicId: 't', createdAt: 3, files: ['file-1'] }),
      message('a2', {
        role: 'assistant',
        content: '...',
        parentId: 'u2',
        topicId: 't',
        createdAt: 4,
        error: { type: 'NoKey', message: 'A key is missing.' },
        extra: { fromModel: 'm', fromProvider: 'openai' },
      }),
      message('x1', { role: 'user', content: 'No topic', createdAt: 5 }),
    ],
    sessions: [{ id: 'inbox', config: { systemRole: 'Be kind.' }, meta: { title: 'Inbox' } }],
    topics: [{ id: 't', title: 'Jokes', sessionId: 'inbox' }],
  };
  const { forest } = await read({ exportType: 'sessions', state, version: 7 });
  assert.deepEqual(outline(forest), [
    ['u1', undefined, 'user', 'Hi'],
    ['a1', 'u1', 'assistant', 'Hello'],
    ['u2', 'a1', 'user', 'A joke? | raw'],
    ['a2', 'u2', 'assistant', 'error'],
    ['x1', undefined, 'user', 'No topic'],
  ]);
  assert.deepEqual(
    [...forest.conversations.values()].map(({ id, title, systemPrompt }) => [id, title, systemPrompt]),
    [
      ['t', 'Jokes', 'Be kind.'],
      ['session/inbox', 'Inbox', 'Be kind.'],
    ],
  );
});

test('[CE18] LobeChat: a thread begins below its message, a result without its call gets one, a call run again is a branch', async () => {
  const at = (createdAt: number, more: object) => ({ topicId: 't', createdAt, ...more });
  const data = {
    messages: [
      at(1, { id: 'u1', role: 'user', content: 'Hi' }),
      at(2, { id: 'a1', role: 'assistant', content: 'Hello', parentId: 'u1', tools: [call] }),
      at(3, { id: 'r1', role: 'tool', content: 'one', parentId: 'a1', tool_call_id: 'c1' }),
      at(4, { id: 'r2', role: 'tool', content: 'two', parentId: 'a1', tool_call_id: 'c1' }),
      at(5, { id: 'u2', role: 'user', content: 'Aside', threadId: 'th' }),
      at(6, { id: 'a2', role: 'assistant', content: 'Yes', threadId: 'th' }),
      at(7, { id: 'r3', role: 'tool', content: 'lost', parentId: 'a2', pluginIntervention: { status: 'rejected' } }),
      at(8, { id: 'odd', role: 'oracle', content: 'Hm', parentId: 'a2' }),
    ],
    threads: [{ id: 'th', sourceMessageId: 'u1' }],
  };
  const { forest, tally } = await read({ mode: 'postgres', schemaHash: 'h', data });
  assert.deepEqual(outline(forest), [
    ['u1', undefined, 'user', 'Hi'],
    ['a1', 'u1', 'assistant', 'Hello | web____search'],
    ['r1', 'a1', 'tool', 'one'],
    ['r2', 'a1', 'tool', 'two'],
    ['u2', 'u1', 'user', 'Aside'],
    ['a2', 'u2', 'assistant', 'Yes'],
    ['r3/asked', 'a2', 'assistant', 'tool'],
    ['r3', 'r3/asked', 'tool', 'lost'],
    ['odd', 'a2', 'user', 'Hm | raw'],
  ]);
  assert.equal(forest.nodes.get('t\nr3')?.tool, 'denied');
  assert.deepEqual([...tally.unknown], [['role=oracle', 1]]);
});

test('[CE19] LobeChat: an export without messages, rows that are no messages and files that are cut off are reported', async () => {
  const agents = await read({ mode: 'pglite', schemaHash: 'h', data: { agents: [{ id: 'a' }] } });
  assert.deepEqual([agents.forest.nodes.size, agents.tally.counts.reported], [0, 1]);
  assert.match([...agents.tally.remarks.keys()].join(''), /no messages/u);
  const odd = { messages: [1, null, { role: 'user' }, { id: 'u', role: 'user', content: 'Hi' }, { id: 'u' }] };
  const { forest, tally } = await read({ exportType: 'sessions', state: odd });
  assert.equal(forest.nodes.size, 1);
  assert.deepEqual(
    [...tally.remarks],
    [
      ['A message has no id.', 1],
      ['A row of a table is not an object.', 2],
      ['A message is there twice.', 1],
    ],
  );
});

test('[CE19] LobeChat: each export that is cut off is known by its beginning, and nothing of it is given out', async (context) => {
  const path = join(temporaryDirectory(context), 'export.json');
  const state = { exportType: 'all', state: { messages: spoken }, version: 7 };
  const { data, mode, schemaHash } = tables;
  for (const whole of [state, { data, mode, schemaHash }, topic]) {
    const text = JSON.stringify(whole);
    for (const cut of [text.length - 1, text.length >> 1]) {
      writeFileSync(path, text.slice(0, cut));
      const format = chatFormats.find(({ source }) => source === 'lobe');
      assert.ok(format?.form === 'document' && (await format.recognizes(path, text.slice(0, cut))), text.slice(0, 60));
      const reading = format.read({ file: { path }, tally: new Tally() })[Symbol.asyncIterator]();
      await assert.rejects(() => reading.next(), { code: 'chat-export-cut-off' });
    }
  }
});

const corpus = findCorpus('chat-exports');

test(
  '[CE19] LobeChat: no message of the exports in the corpus is lost',
  { skip: corpus.found ? false : corpus.reason },
  async () => {
    if (!corpus.found) return;
    const folder = join(corpus.directory, 'lobe-export');
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8');
      const { forest, tally } = await read(text);
      const count = text.match(/"role": "(?:user|assistant|tool)"/gu)?.length ?? 0;
      // Messages whose answer was never given hold only a placeholder text.
      const empty = text.match(/"content": "\.\.\.",\s*"parentId"[^{}]*"extra"/gu)?.length ?? 0;
      assert.equal(forest.nodes.size, count - empty, name);
      assert.equal(tally.counts.reported, count === 0 ? 1 : 0, name);
    }
  },
);
