import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectClient } from '../testing/mcp-client.ts';
import { serveLoom } from '../testing/served-loom.ts';
import { prompts } from './prompts.ts';

test('[MC12] common jobs are prompts that bring the conversation along, and name only tools that there are', async (t) => {
  const served = await serveLoom(t);
  const { root } = await served.requests.call('root.create', {});
  await served.requests.call('node.append', { parent: root, messages: [{ role: 'user', content: 'Which yarn?' }] });
  const client = await connectClient(t, served.url, served.requests.token);
  const tools = new Set((await client.listTools()).tools.map(({ name }) => name));
  const listed = (await client.listPrompts()).prompts;
  assert.deepEqual(listed, prompts);
  for (const { name, arguments: wanted = [] } of listed) {
    const given = { conversation: root, query: 'yarn' };
    const { messages } = await client.getPrompt({ name, arguments: given });
    const text = JSON.stringify(messages);
    for (const [tool] of text.matchAll(/\b(?:block|node|tree|root|kernel|id)_[a-z_]+/gu))
      assert.ok(tools.has(tool), tool);
    const brings = wanted.some((argument) => argument.name === 'conversation' && argument.required === true);
    assert.equal(text.includes('Which yarn?'), brings, name);
    assert.match(text, brings ? new RegExp(root, 'u') : /kernel_search/u);
  }
  const argument = { name: 'conversation', value: root.slice(0, 8) };
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'continue_conversation' },
    argument,
  });
  assert.deepEqual(completion.values, [root]);
});

test('[MC12] a prompt that there is not, or that lacks an argument, is refused with what there is', async (t) => {
  const served = await serveLoom(t);
  const client = await connectClient(t, served.url, served.requests.token);
  await assert.rejects(
    client.getPrompt({ name: 'sing' }),
    /There is no prompt sing\. There are summarize_conversation, /u,
  );
  await assert.rejects(client.getPrompt({ name: 'find_and_quote' }), /needs the argument query/u);
  const missing = { name: 'summarize_conversation', arguments: { conversation: 'root-none' } };
  await assert.rejects(client.getPrompt(missing), /not found/iu);
});
