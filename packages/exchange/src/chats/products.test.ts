import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem } from '../foreign/foreign.ts';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { OpenAILinesReader } from './openai-messages.ts';
import { readChats, recognizeChats } from './read-chats.ts';
import { fileOf } from './testing/zip-file.ts';

async function read(value: unknown): Promise<{ forest: ItemForest; tally: Tally; product: string }> {
  const file = fileOf(JSON.stringify(value));
  const product = await recognizeChats(file);
  assert.ok(product !== undefined);
  const tally = new Tally();
  const forest = new ItemForest();
  for await (const batch of readChats(file, product, tally)) forest.apply(batch);
  return { forest, tally, product };
}

function outline(forest: ItemForest): unknown[][] {
  return [...forest.nodes.values()].map(({ id, parent, role, blocks }) => [
    id,
    parent,
    role,
    blocks
      .map(({ block }) => ('text' in block ? block.text : 'content' in block ? block.content : block.type))
      .join(' | '),
  ]);
}

const said = (role: string, content: object, more: object = {}) => ({ author: { role }, content, ...more });
const text = (...parts: string[]) => ({ content_type: 'text', parts });

test('[CE10] ChatGPT: empty and hidden messages are passed over, forks stay, what is said to a tool is a call of it', async () => {
  const mapping = {
    top: { parent: null, children: ['sys'], message: null },
    sys: { parent: 'top', children: ['u'], message: said('system', text('')) },
    u: { parent: 'sys', children: ['late', 'call'], message: said('user', text('Plot it')) },
    call: {
      parent: 'u',
      children: ['out'],
      message: said('assistant', { content_type: 'code', language: 'python', text: 'plot()' }, { recipient: 'python' }),
    },
    late: { parent: 'u', children: [], message: said('assistant', text('Another try')) },
    out: {
      parent: 'call',
      children: ['think'],
      message: {
        ...said('tool', { content_type: 'execution_output', text: 'done' }),
        author: { role: 'tool', name: 'python' },
      },
    },
    think: {
      parent: 'out',
      children: ['a'],
      message: said('assistant', { content_type: 'thoughts', thoughts: [{ summary: 'Hm', content: 'It works' }] }),
    },
    a: { parent: 'think', children: [], message: said('assistant', text('Here it is')) },
  };
  const { forest, product } = await read([{ id: 'c', title: 'Plot', create_time: 1_700_000_000.5, mapping }]);
  assert.equal(product, 'chatgpt');
  assert.deepEqual(outline(forest), [
    ['u', undefined, 'user', 'Plot it'],
    ['late', 'u', 'assistant', 'Another try'],
    ['call', 'u', 'assistant', 'tool-use'],
    ['out', 'call', 'tool', 'done'],
    ['think', 'out', 'assistant', 'Hm\n\nIt works'],
    ['a', 'think', 'assistant', 'Here it is'],
  ]);
  const out = forest.nodes.get('c\nout');
  assert.deepEqual([out?.tool_call_id, out?.source], ['call', { type: 'tool_result', tool_name: 'python' }]);
  assert.equal(forest.conversations.get('c')?.created_at, '2023-11-14T22:13:20.500Z');
});

test('[CE16] the pages that an answer names are its sources, each once', async () => {
  const page = { url: 'https://example.org/a', title: 'A' };
  const metadata = {
    citations: [{ metadata: page }, { metadata: page }],
    content_references: [{ items: [{ url: 'https://example.org/b' }] }],
    _cite_metadata: { metadata_list: [{ url: 'https://example.org/c', title: 'C' }] },
    search_result_groups: [{ domain: 'example.org', entries: [page, { url: 'https://example.org/d', title: 'D' }] }],
  };
  const chatgpt = await read([
    { id: 'c', mapping: { a: { parent: null, message: said('assistant', text('See there'), { metadata }) } } },
  ]);
  assert.deepEqual(chatgpt.forest.nodes.get('c\na')?.blocks.at(-1)?.block, {
    type: 'sources',
    sources: [
      { id: page.url, ...page },
      { id: 'https://example.org/b', url: 'https://example.org/b', title: '' },
      { id: 'https://example.org/c', url: 'https://example.org/c', title: 'C' },
      { id: 'https://example.org/d', url: 'https://example.org/d', title: 'D' },
    ],
  });
  const content = [
    {
      type: 'text',
      text: 'See there',
      citations: [{ uuid: 'x', details: { type: 'web_search_citation', url: page.url } }],
    },
  ];
  const claude = await read([{ uuid: 'c', chat_messages: [{ uuid: 'a', sender: 'assistant', content }] }]);
  assert.equal(claude.forest.nodes.get('c\na')?.blocks.at(-1)?.block.type, 'sources');
});

test('[CE11] ChatGPT: an unknown kind of content is kept as it came and counted', async () => {
  const { forest, tally } = await read([
    {
      id: 'c',
      mapping: { a: { parent: null, children: [], message: said('assistant', { content_type: 'hologram', x: [1] }) } },
    },
  ]);
  assert.deepEqual(forest.nodes.get('c\na')?.blocks[0]?.block, {
    type: 'raw',
    source: 'chatgpt',
    value: { content_type: 'hologram', x: [1] },
  });
  assert.deepEqual([...tally.unknown], [['hologram', 1]]);
});

test('[CE11] ChatGPT: the words of an unknown kind are read where other kinds have theirs', async () => {
  const content = { content_type: 'hologram', parts: ['words', { depth: 3 }], x: 1 };
  const { forest, tally } = await read([
    { id: 'c', mapping: { a: { parent: null, children: [], message: said('assistant', content) } } },
  ]);
  assert.deepEqual(
    forest.nodes.get('c\na')?.blocks.map(({ block }) => block),
    [
      { type: 'text', text: 'words' },
      { type: 'raw', source: 'chatgpt', value: { content_type: 'hologram', x: 1, parts: [{ depth: 3 }] } },
    ],
  );
  assert.deepEqual([...tally.unknown], [['hologram', 1]]);
});

test('[CE12] Claude.ai: results within an answer are messages of their own, attachments are what was taken out of them, branches stay', async () => {
  const none = '00000000-0000-4000-8000-000000000000';
  const { forest, product } = await read([
    {
      uuid: 'c',
      name: 'Search',
      created_at: '2025-01-01T00:00:00Z',
      chat_messages: [
        {
          uuid: 'h',
          sender: 'human',
          parent_message_uuid: none,
          text: 'Find it',
          content: [{ type: 'text', text: 'Find it' }],
          attachments: [{ file_name: 'a.txt', extracted_content: 'inside' }],
        },
        {
          uuid: 'a',
          sender: 'assistant',
          parent_message_uuid: 'h',
          content: [
            { type: 'thinking', thinking: 'Where?' },
            { type: 'tool_use', id: 't', name: 'web_search', input: { query: 'x' } },
            { type: 'tool_result', tool_use_id: 't', name: 'web_search', content: [{ type: 'text', text: 'found' }] },
            { type: 'text', text: 'There.' },
            { type: 'token_budget', budget: 1 },
          ],
        },
        { uuid: 'b', sender: 'assistant', parent_message_uuid: 'h', content: [{ type: 'text', text: 'Elsewhere.' }] },
      ],
    },
  ]);
  assert.equal(product, 'claude-ai');
  assert.deepEqual(outline(forest), [
    ['h', undefined, 'user', 'Find it | a.txt\n\ninside'],
    ['a', 'h', 'assistant', 'Where? | tool-use'],
    ['a/2', 'a', 'tool', 'found'],
    ['a/part-2', 'a/2', 'assistant', 'There.'],
    ['b', 'h', 'assistant', 'Elsewhere.'],
  ]);
});

test('[CE13] Open WebUI: calls that stand in the text are calls with results, escaped thoughts are as they were thought, and what it cost is told once', async () => {
  const escape = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const attribute = (value: unknown): string => escape(JSON.stringify(value));
  const ran = (id: string, result: string): string =>
    `<details type="tool_calls" done="true" id="${id}" name="search" arguments="${attribute('{"q":"a > b"}')}" result="${result}">\n<summary>Tool Executed</summary>\n</details>\n`;
  const content = [
    '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n&gt; a &lt; b\n</details>\n',
    'I look.\n',
    ran('t1', attribute('<found>')),
    ran('t2', attribute({ pages: 2 })),
    'There it is.\n',
    '<details type="tool_calls" done="false" id="t3" name="save" arguments="">\n<summary>Executing…</summary>\n</details>',
  ].join('');
  const answer = {
    role: 'assistant',
    parentId: null,
    content,
    usage: { prompt_tokens: 3, completion_tokens: 4 },
    sources: [{ source: { name: 'A page', url: 'https://a.example/' }, metadata: [{ source: 'notes.pdf' }] }],
  };
  const { forest } = await read([{ id: 'c', chat: { history: { messages: { a: answer } } } }]);
  const nodes = [...forest.nodes.values()];
  assert.deepEqual(
    nodes.map(({ role, tool_call_id: call, blocks }) => [role, call, blocks.map(({ block }) => block.type).join()]),
    [
      ['assistant', undefined, 'thinking,text,tool-use'],
      ['tool', 't1', 'text'],
      ['assistant', undefined, 'tool-use'],
      ['tool', 't2', 'text'],
      ['assistant', undefined, 'text,tool-use,sources'],
    ],
  );
  const blocks = nodes.flatMap((node) => node.blocks.map(({ block }) => block));
  assert.deepEqual(
    blocks.flatMap((block) => ('text' in block ? [block.text] : [])),
    ['a < b', 'I look.\n', '<found>', '{"pages":2}', 'There it is.\n'],
  );
  assert.deepEqual(
    blocks.flatMap((block) => (block.type === 'tool-use' ? [block.parameters] : [])),
    [{ q: 'a > b' }, { q: 'a > b' }, {}],
  );
  assert.deepEqual(
    nodes.map(({ source }) => source.type === 'model' && source.usage !== undefined),
    [true, false, false, false, false],
  );
});

test('[CE13] Open WebUI: elements that are begun a hundred thousand times and never end are a text', async () => {
  // Searching for the end of each of them to the end of the text would take minutes.
  for (const begun of ['<details type="reasoning" ', '<details type="reasoning">']) {
    const content = begun.repeat(100_000);
    const answer = { role: 'assistant', parentId: null, content };
    const { forest } = await read([{ id: 'c', chat: { history: { messages: { a: answer } } } }]);
    const blocks = [...forest.nodes.values()].flatMap((node) => node.blocks.map(({ block }) => block));
    assert.deepEqual(
      blocks.map((block) => block.type === 'text' && block.text === content),
      [true],
    );
  }
});

test('[CE13] Open WebUI: the tree of the history, with thoughts out of the text', async () => {
  const message = (id: string, parentId: string | null, role: string, content: string) => ({
    id,
    parentId,
    role,
    content,
    timestamp: 1_744_577_557,
  });
  const thought =
    '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> One\n> two\n</details>\n\nHello.';
  const { forest, product } = await read([
    {
      id: 'c',
      title: 'Greeting',
      chat: {
        tags: [{ name: 'fun' }],
        history: {
          currentId: 'b',
          messages: {
            u: message('u', null, 'user', 'Hi'),
            a: message('a', 'u', 'assistant', thought),
            b: message('b', 'u', 'assistant', 'Hey.'),
          },
        },
      },
    },
  ]);
  assert.equal(product, 'open-webui');
  assert.deepEqual(outline(forest), [
    ['u', undefined, 'user', 'Hi'],
    ['a', 'u', 'assistant', 'One\ntwo | Hello.'],
    ['b', 'u', 'assistant', 'Hey.'],
  ]);
  assert.deepEqual(forest.conversations.get('c')?.tags, ['fun']);
});

test('[CE14] LibreChat: nested and flat messages are the same tree', async () => {
  const [first, second, third] = [
    { messageId: 'u', isCreatedByUser: true, text: 'Hi', parentMessageId: '00000000-0000-0000-0000-000000000000' },
    { messageId: 'a', text: 'Hello', parentMessageId: 'u', endpoint: 'openAI', model: 'gpt-4o' },
    {
      messageId: 'b',
      parentMessageId: 'u',
      content: [
        { type: 'text', text: { value: 'Hey' } },
        { type: 'tool_call', tool_call: { id: 't', name: 'run', args: '{"a":1}', output: 'ran' } },
      ],
    },
  ];
  const flat = await read({ conversationId: 'c', title: 'T', messages: [first, second, third] });
  const nested = await read({
    conversationId: 'c',
    title: 'T',
    recursive: true,
    messages: [{ ...first, children: [second, third] }],
  });
  assert.deepEqual(outline(nested.forest), outline(flat.forest));
  assert.deepEqual(outline(flat.forest), [
    ['u', undefined, 'user', 'Hi'],
    ['a', 'u', 'assistant', 'Hello'],
    ['b', 'u', 'assistant', 'Hey | tool-use'],
    ['b/1', 'b', 'tool', 'ran'],
  ]);
});

test('[CE15] messages of chat completions: a document, a line for each conversation, or a line for each message', async () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ];
  const document = await read(messages);
  assert.equal(document.product, 'openai-messages');
  assert.deepEqual(
    outline(document.forest).map((row) => row.slice(2)),
    [
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ],
  );
  const lines = (...values: unknown[]): ForeignItem[] => {
    const reader = new OpenAILinesReader();
    for (const value of values) reader.push(JSON.stringify(value));
    reader.end();
    return reader.take();
  };
  const ofTree = messages.map((message, index) => ({ ...message, id: `m${index}`, parentId: `m${index - 1}` }));
  assert.equal(await recognizeChats(fileOf(JSON.stringify(ofTree))), undefined);
  const [id] = document.forest.conversations.keys();
  const tuning = lines({ messages }, { messages: [{ role: 'user', content: 'Bye' }] });
  const conversations = tuning.flatMap((item) => (item.type === 'conversation' ? [item.conversation] : []));
  assert.deepEqual([conversations.length, conversations[0]?.id, conversations[0]?.systemPrompt], [2, id, 'Be brief.']);
  const running = lines(...messages);
  const grown = lines(...messages, { role: 'user', content: 'More' });
  assert.deepEqual(grown.slice(0, running.length), running);
  assert.equal(grown.length, running.length + 1);
});

test('[CE15] files and results that Cline tells in parts of its own are texts', async () => {
  const { forest } = await read({
    system_prompt: 'Be brief.',
    messages: [
      { role: 'user', content: [{ type: 'file', path: 'a.txt', content: 'alpha' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read_files', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ query: 'a.txt', result: '1 | alpha' }] }],
      },
    ],
  });
  const blocks = [...forest.nodes.values()].flatMap(({ blocks: own }) => own.map(({ block }) => block));
  assert.deepEqual(
    blocks.filter(({ type }) => type !== 'tool-use'),
    [
      { type: 'text', text: 'a.txt\n\nalpha' },
      { type: 'text', text: '1 | alpha' },
    ],
  );
  assert.deepEqual(
    [...forest.conversations.values()].map(({ systemPrompt }) => systemPrompt),
    ['Be brief.'],
  );
});
