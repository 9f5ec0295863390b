import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectClient } from '../testing/mcp-client.ts';
import { serveLoom } from '../testing/served-loom.ts';

test('[MC1] a client of the protocol lists the tools and reads a block through a real socket', async (t) => {
  const served = await serveLoom(t);
  const { root } = await served.requests.call('root.create', {});
  await served.requests.call('node.append', {
    parent: root,
    messages: [{ role: 'user', content: 'What is a loom?\nA frame.' }],
  });
  const client = await connectClient(t, served.url, served.requests.token);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'block_read'));
  const listed = await client.callTool({ name: 'block_list', arguments: { parent_id: root } });
  const read = await client.callTool({ name: 'block_read', arguments: { block_id: `${root}/@person/1` } });
  assert.deepEqual(read.isError ?? false, false, JSON.stringify([read, listed]));
  assert.deepEqual(read.structuredContent, {
    content: '0\tWhat is a loom?\n1\tA frame.',
    metadata: {},
    role: 'user',
    kind: 'text',
    status: 'done',
    version: 1,
    line_count: 2,
  });
});
