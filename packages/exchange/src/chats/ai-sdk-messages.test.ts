import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { toModelMessages, toUIMessages } from '../ai-sdk/index.ts';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem } from '../foreign/foreign.ts';
import { readChats, recognizeChats } from './read-chats.ts';
import { fileOf } from './testing/zip-file.ts';

const said: Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'What is in the file?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'I look.', provider: { anthropic: { signature: 'sealed' } } },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool-use', id: 'call-1', name: 'Read', parameters: { path: 'a.txt' } },
      { type: 'tool-use', id: 'call-2', name: 'Bash', parameters: {} },
    ],
  },
  { role: 'tool', tool_call_id: 'call-1', content: [{ type: 'text', text: 'words' }] },
  { role: 'tool', tool_call_id: 'call-2', is_error: true, content: [{ type: 'text', text: 'It failed' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'Words.' }] },
];

async function read(value: unknown): Promise<{ product: string | undefined; items: ForeignItem[]; tally: Tally }> {
  const file = fileOf(JSON.stringify(value));
  const tally = new Tally();
  const product = await recognizeChats(file);
  assert.ok(product !== undefined);
  const items: ForeignItem[] = [];
  for await (const batch of readChats(file, product, tally)) items.push(...batch);
  return { product, items, tally };
}

/** Returns the content of the messages, without the marks that the SDK's spelling has left on their blocks. */
function spoken(items: readonly ForeignItem[]): unknown[] {
  return items.flatMap((item) => {
    if (item.type !== 'node') return [];
    const { role, blocks, tool_call_id, is_error } = item.node;
    const content = blocks.map(({ block }) => {
      const { provider, ...rest } = block;
      const { 'ai-sdk': _mark, ...others } = provider ?? {};
      return Object.keys(others).length === 0 ? rest : { ...rest, provider: others };
    });
    const about = {
      ...(tool_call_id === undefined ? {} : { tool_call_id }),
      ...(is_error === true ? { is_error } : {}),
    };
    return [{ role, ...about, content }];
  });
}

test('[CE17] model messages and UI messages of the AI SDK are read as the messages that they were written from', async () => {
  const model = await toModelMessages(said, { systemPrompt: 'Be kind.' });
  for (const list of [model, { messages: model }, await toUIMessages(said, { systemPrompt: 'Be kind.' })]) {
    const { product, items, tally } = await read(list);
    assert.equal(product, 'ai-sdk');
    assert.deepEqual(spoken(items), said);
    assert.partialDeepStrictEqual(items[0], { type: 'conversation', conversation: { systemPrompt: 'Be kind.' } });
    assert.deepEqual(tally.counts, { read: 1, used: 1, raw: 0, reported: 0 });
  }
});

test('[CE17] of an export of all branches each is a conversation, also one in which nothing but words was said', async () => {
  const words: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello to you' }] },
  ];
  const branches = [
    { node: 'a', messages: await toModelMessages(words) },
    { node: 'b', messages: await toModelMessages(said) },
  ];
  const { product, items, tally } = await read(branches);
  assert.equal(product, 'ai-sdk');
  assert.deepEqual(spoken(items), [...words, ...said]);
  assert.deepEqual(tally.counts, { read: 2, used: 2, raw: 0, reported: 0 });
  assert.equal((await read(await toModelMessages(words))).product, 'openai-messages');
});

test('[CE17] parts that are not known are kept, and lists of other programs are not taken for these', async () => {
  const { items, tally } = await read([{ id: 'm', role: 'user', parts: [{ type: 'data-weather', data: { sun: 1 } }] }]);
  assert.deepEqual(tally.counts, { read: 1, used: 0, raw: 1, reported: 0 });
  assert.partialDeepStrictEqual(items[1], {
    type: 'node',
    node: { blocks: [{ block: { type: 'raw', source: 'ai-sdk' } }] },
  });
  const training = [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', value: 'Hm' },
        { type: 'text', value: 'Yes' },
      ],
    },
  ];
  assert.equal((await read(training)).product, 'openai-messages');
});

test('[CE15] the prompt beside the messages of the Messages API is the system prompt', async () => {
  const { items } = await read({ system: 'Be kind.', messages: [{ role: 'user', content: 'Hello' }] });
  assert.partialDeepStrictEqual(items[0], { type: 'conversation', conversation: { systemPrompt: 'Be kind.' } });
});

test('[CE2] a list with a message that is nested too deep is refused before anything is given out', async () => {
  const deep = `[{"role":"user","content":"a"},{"role":"user","content":[{"type":"x","y":${'['.repeat(15_000)}${']'.repeat(15_000)}}]}]`;
  const reading = readChats(fileOf(deep), 'openai-messages', new Tally());
  await assert.rejects(() => reading.next(), { code: 'chat-export-too-deep' });
});
