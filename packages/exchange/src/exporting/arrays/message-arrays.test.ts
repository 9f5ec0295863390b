import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interruptedText, isPlainObject } from '@loom/blocks';
import { messagesExport } from './message-arrays.ts';
import { gathered, sampleSource } from '../testing/sample-source.ts';
import { vendorFindings } from '../testing/vendor-schemas.ts';
import { workedConversation } from '../testing/worked-conversation.ts';

async function read(...args: Parameters<typeof messagesExport>): Promise<unknown> {
  return JSON.parse(await gathered(messagesExport(...args)));
}

function field(value: unknown, name: string): unknown {
  return isPlainObject(value) ? value[name] : undefined;
}

test('[XP5] messages of the Messages API: results in one message behind their calls, the prompt beside', async () => {
  const source = { ...workedConversation() };
  const withPrompt = { ...source, root: { ...source.root, config: { systemPrompt: 'Be brief.' } } };
  assert.deepEqual(await read(withPrompt, { node: 'root/said' }, 'anthropic'), {
    system: 'Be brief.',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Read both files.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I read them.' },
          { type: 'tool_use', id: 'call_1', name: 'read_file', input: { path: 'a' } },
          { type: 'tool_use', id: 'call_2', name: 'read_file', input: { path: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          { tool_use_id: 'call_2', type: 'tool_result', content: 'There is no b.', is_error: true },
          { tool_use_id: 'call_1', type: 'tool_result', content: 'alpha' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It says alpha.' }] },
    ],
  });
});

test('[XP5] messages of chat completions and of the AI SDK; a tree is a list with the messages of every branch', async () => {
  const openai = await read(workedConversation(), {}, 'openai');
  assert.ok(Array.isArray(openai));
  assert.deepEqual(
    openai.map((branch: unknown) => field(branch, 'node')),
    ['root/thanks', 'root/other'],
  );
  assert.deepEqual(field(openai[0], 'messages'), [
    { role: 'user', content: 'Read both files.' },
    {
      role: 'assistant',
      content: 'I read them.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_2', content: 'There is no b.' },
    { role: 'tool', tool_call_id: 'call_1', content: 'alpha' },
    { role: 'assistant', content: 'It says alpha.' },
    { role: 'user', content: 'Thanks.' },
  ]);
  const sdk = await read(workedConversation(), { node: 'root/thanks' }, 'ai-sdk');
  assert.ok(Array.isArray(sdk));
  assert.deepEqual(
    sdk.map((message: unknown) => field(message, 'role')),
    ['user', 'assistant', 'tool', 'assistant', 'user'],
  );
});

test('[XP5] what a tool said in several messages is the one result of its call', async () => {
  const result = (name: string, parent: string, text: string) => ({
    name,
    parent,
    role: 'tool' as const,
    tool_call_id: 'c',
    blocks: [{ type: 'text' as const, text }],
  });
  const source = sampleSource({
    nodes: [
      { name: 'a', role: 'assistant', blocks: [{ type: 'tool-use', id: 'c', name: 'run', parameters: {} }] },
      result('r1', 'a', 'The first part.'),
      result('r2', 'r1', 'The second part.'),
    ],
  });
  const openai = await read(source, { node: 'root/r2' }, 'openai');
  assert.ok(Array.isArray(openai));
  assert.deepEqual(
    openai.slice(1).map((message: unknown) => [field(message, 'role'), field(message, 'content')]),
    [['tool', ['The first part.', 'The second part.'].map((text) => ({ type: 'text', text }))]],
  );
});

test('[XP6] a call without a result is answered as interrupted, and files go along as they are', async () => {
  const blob = `sha256:${'ab'.repeat(32)}`;
  const source = sampleSource({
    nodes: [
      { name: 'u', role: 'user', blocks: [{ type: 'image', media_type: 'image/png', blob }] },
      {
        name: 'a',
        parent: 'u',
        role: 'assistant',
        blocks: [{ type: 'tool-use', id: 'c', name: 'run', parameters: {} }],
      },
    ],
    blobs: new Map([[blob, Buffer.from([1, 2, 3])]]),
  });
  assert.deepEqual(await read(source, { node: 'root/a' }, 'anthropic'), {
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } }],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'run', input: {} }] },
      {
        role: 'user',
        content: [{ tool_use_id: 'c', type: 'tool_result', content: interruptedText, is_error: true }],
      },
    ],
  });
  assert.deepEqual(await read(source, { node: 'root/a' }, 'openai'), [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: interruptedText },
  ]);
  for (const range of [{ node: 'root/a' }, {}]) {
    const sdk = JSON.stringify(await read(source, range, 'ai-sdk'));
    assert.ok(sdk.includes('"mediaType":"image/png"') && sdk.includes('"data":"AQID"'), sdk);
  }
});

test('[XP20] what another program gave along stays in Loom, thoughts stay out of chat completions, and pictures of tools come behind the results', async () => {
  const blob = `sha256:${'cd'.repeat(32)}`;
  const provider = { 'claude-code': { tool_use_result: { file: { content: 'a whole file' } } } };
  const source = sampleSource({
    nodes: [
      {
        name: 'a',
        role: 'assistant',
        blocks: [
          { type: 'thinking', text: 'Hm.', provider: { anthropic: { signature: 'sealed' } } },
          { type: 'tool-use', id: 'c1', name: 'mcp.look at', parameters: {}, provider: { anthropic: { caller: {} } } },
          { type: 'tool-use', id: 'c2', name: 'read', parameters: {} },
          { type: 'text', text: 'Both.', provider: { anthropic: { citations: [{ type: 'unheard_of' }] } } },
        ],
      },
      {
        name: 'r1',
        parent: 'a',
        role: 'tool',
        tool_call_id: 'c1',
        blocks: [{ type: 'image', media_type: 'image/png', filename: 'p.png', blob, provider }],
      },
      {
        name: 'r2',
        parent: 'r1',
        role: 'tool',
        tool_call_id: 'c2',
        is_error: true,
        blocks: [
          { type: 'text', text: '', provider },
          { type: 'text', text: 'No.' },
        ],
      },
    ],
    blobs: new Map([[blob, Buffer.from([1, 2, 3])]]),
  });
  assert.deepEqual(await read(source, { node: 'root/r2' }, 'openai'), [
    {
      role: 'assistant',
      content: 'Both.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'mcp_look_at', arguments: '{}' } },
        { id: 'c2', type: 'function', function: { name: 'read', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: '(p.png (image/png))' },
    { role: 'tool', tool_call_id: 'c2', content: ['', 'No.'].map((text) => ({ type: 'text', text })) },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } }] },
  ]);
  for (const format of ['openai', 'anthropic', 'ai-sdk'] as const) {
    const messages = await read(source, { node: 'root/r2' }, format);
    assert.deepEqual(vendorFindings(format, messages), [], format);
    assert.ok(!JSON.stringify(messages).includes('a whole file'), format);
  }
});
