import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { refusalSamples } from '@loom/kernel/testing';
import { connectClient, textOf } from '../testing/mcp-client.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';
import { mcpWords } from './refusal-words.ts';

interface World {
  served: Served;
  client: Client;
  root: string;
  block: string;
}

/** A conversation with one message of three lines, and a client of MCP beside its person. */
async function openWorld(t: TestContext): Promise<World> {
  const served = await serveLoom(t);
  const { root } = await served.requests.call('root.create', {});
  await served.requests.call('node.append', {
    parent: root,
    messages: [{ role: 'user', content: 'one\ntwo\nthree\n' }],
  });
  const agent = await served.as({ agent: 'helper', type: 'model', role: 'writer' });
  return { served, client: await connectClient(t, served.url, agent.token), root, block: `${root}/@person/1` };
}

function replace(line: number, content: string) {
  return { op: 'replace' as const, start_line: line, end_line: line + 1, content };
}

test('[MC4] answers are structured and the same as text; a list is the items of an object', async (t) => {
  const { client, root, block } = await openWorld(t);
  // The client checks answers against the output schemas once it knows them.
  await client.listTools();
  const listed = await client.callTool({ name: 'block_list', arguments: { parent_id: root } });
  assert.deepEqual(JSON.parse(textOf(listed)), listed.structuredContent);
  assert.deepEqual(listed.structuredContent, {
    items: [
      {
        block_id: block,
        role: 'user',
        kind: 'text',
        status: 'done',
        summary: 'one (3 lines)',
        version: 1,
        dirty: false,
      },
    ],
  });
  const path = await client.callTool({ name: 'node_path', arguments: { node: `${root}/node-1` } });
  assert.match(textOf(path), /"text":"one\\ntwo\\nthree\\n"/u);
});

test('[MC4] a call that is repeated with its request id is done once', async (t) => {
  const { client, root, served } = await openWorld(t);
  const call = {
    name: 'block_create',
    arguments: { parent_id: root, role: 'user', kind: 'text', content: 'Once.' },
    _meta: { 'loom/request_id': 'mine-1' },
  };
  const first = await client.callTool(call);
  assert.deepEqual((await client.callTool(call)).structuredContent, first.structuredContent);
  const { nodes } = await served.requests.call('node.children', { node: root });
  assert.equal(nodes.length, 2);
  assert.equal(nodes[1]?.message.content[0]?.agent, 'helper', 'it is kept under the name of the token');
});

test('[MC4] a tool that there is not is an error of the protocol, a refusal is one that the model sees', async (t) => {
  const { client } = await openWorld(t);
  await assert.rejects(client.callTool({ name: 'turn_decide', arguments: {} }), /There is no tool turn_decide/u);
  const refused = await client.callTool({ name: 'block_read', arguments: { block_id: 'root-x/@person/1' } });
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /^There is no block root-x\/@person\/1\. Call block_list/u);
  const refusal = { reason: 'block-not-found', block: 'root-x/@person/1', next: { type: 'list-blocks' } };
  assert.deepEqual(refused._meta?.['loom/refusal'], refusal);
  const invalid = await client.callTool({ name: 'block_read', arguments: { block: 'x' } });
  assert.equal(invalid.isError, true);
  assert.match(textOf(invalid), /block_id.*Correct that and call again\./su);
});

test('[MC4] what fails inside is told to the owner of the server, and to the client only that it has failed', async (t) => {
  const { client, served, block } = await openWorld(t);
  const row = served.engine.operations.find(({ name }) => name === 'block.read') ?? assert.fail();
  t.mock.method(row, 'run', () => Promise.reject(new Error('a secret path')));
  const call = client.callTool({ name: 'block_read', arguments: { block_id: block } });
  await assert.rejects(call, (error: Error) => /Loom failed/u.test(error.message) && !/secret/u.test(error.message));
  assert.equal(served.failures.length, 1);
});

test('[MC5] a patch answers success, or errors with what the text says by now', async (t) => {
  const { client, block } = await openWorld(t);
  await client.listTools();
  const patch = (context: string): string => `@@ -1,3 +1,3 @@\n ${context}\n-two\n+2\n three\n`;
  const refused = await client.callTool({
    name: 'block_apply_patch',
    arguments: { block_id: block, patch: patch('un') },
  });
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /^\{"success":false,"errors":\["hunk 1 of 1/u);
  assert.match(textOf(refused), /is at version 1 now and has 3 lines\.\n0\tone\n1\ttwo\n2\tthree\n$/u);
  const done = await client.callTool({
    name: 'block_apply_patch',
    arguments: { block_id: block, patch: patch('one') },
  });
  assert.deepEqual(done.structuredContent, { success: true, version: 2, offsets: [0] });
});

test('[MC6] an edit of lines that were changed meanwhile is refused with what they say by now, and changes nothing', async (t) => {
  const { client, served, block } = await openWorld(t);
  await served.requests.call('block.edit', { block_id: block, operations: [replace(1, 'TWO')] });
  const stale = { block_id: block, base_version: 1, operations: [replace(1, 'zwei')] };
  const refused = await client.callTool({ name: 'block_edit', arguments: stale });
  assert.equal(refused.isError, true);
  assert.match(
    textOf(refused),
    /^Nothing was changed: another agent has changed lines 1 to 2.*\n.*version 2 now.*\n0\tone\n1\tTWO\n2\tthree\n$/su,
  );
  const mistaken = { block_id: block, operations: [{ ...replace(1, 'zwei'), expected_text: 'two' }] };
  assert.match(textOf(await client.callTool({ name: 'block_edit', arguments: mistaken })), /but "TWO\\n".*1\tTWO/su);
  const { content, version } = await served.requests.call('block.read', { block_id: block, line_numbers: false });
  assert.deepEqual([content, version], ['one\nTWO\nthree\n', 2]);
  // Lines that no one else has touched are carried along, as the parameter says.
  const carried = { ...stale, operations: [replace(0, 'eins')] };
  assert.deepEqual((await client.callTool({ name: 'block_edit', arguments: carried })).structuredContent, {
    version: 3,
  });
});

test('[MC7] there are words for every refusal, which say what to do with tools and name no operation', () => {
  for (const sample of refusalSamples()) {
    const words = mcpWords(sample);
    assert.match(words, /^(?:[A-Z]|root-1).{9,}[.?]$/su, JSON.stringify(sample));
    assert.doesNotMatch(
      words,
      /undefined|\[object|NaN|\bloom \w|\b(?:block|node|root|tree|turn|kernel|id)\.[a-z]/u,
      words,
    );
  }
});

for (const mode of ['2025-11-25', '2026-07-28'] as const) {
  test(`[MC4] parameters that do not fit are the client's mistake, in every request that takes some (${mode})`, async (t) => {
    const served = await serveLoom(t);
    const about = 'io.modelcontextprotocol';
    const envelope = {
      [`${about}/protocolVersion`]: mode,
      [`${about}/clientInfo`]: { name: 'x', version: '1' },
      [`${about}/clientCapabilities`]: {},
    };
    const meta = mode === '2026-07-28' ? { _meta: envelope } : {};
    for (const [method, params] of [
      ['tools/call', { name: 5 }],
      ['resources/list', { cursor: 5 }],
      ['resources/read', { uri: 5 }],
      ['resources/read', {}],
      ['prompts/get', { name: 'summarize_conversation', arguments: 5 }],
      ['completion/complete', { ref: 5 }],
      ...(mode === '2025-11-25'
        ? ([
            ['resources/subscribe', {}],
            ['resources/unsubscribe', { uri: [] }],
          ] as const)
        : []),
    ] as const) {
      const headers = {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': mode,
        'mcp-method': method,
        ...(method === 'prompts/get' ? { 'mcp-name': params.name } : {}),
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...meta } });
      const text = await (await served.requests.fetch('/mcp', { method: 'POST', headers, body })).text();
      assert.match(text, /"code":-32602,"message":"Invalid (?:params|tools\/call request)/u, `${method} ${text}`);
    }
    assert.deepEqual(served.failures, []);
  });
}
