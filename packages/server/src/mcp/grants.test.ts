import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectClient, textOf } from '../testing/mcp-client.ts';
import { owner, serveLoom } from '../testing/served-loom.ts';

const edits = ['block_edit', 'block_splice', 'block_apply_patch', 'block_undo', 'block_redo'];
const additions = ['block_create', 'block_append', 'block_status', 'draft_create', 'node_append', 'root_create'];

test('[MC8] read, append and edit are what the roles of tokens allow, in the list and in the calls', async (t) => {
  const served = await serveLoom(t);
  const { root } = await served.requests.call('root.create', {});
  const said = { parent: root, messages: [{ role: 'user' as const, content: 'one' }] };
  await served.requests.call('node.append', said);
  const listOf = async (role: 'reader' | 'appender' | 'writer' | 'owner') => {
    const { token } = await served.as({ agent: role, type: 'model', role });
    const client = await connectClient(t, served.url, token);
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    const call = async (name: string, params: Record<string, unknown>) => {
      const { isError = false, ...answer } = await client.callTool({ name, arguments: params });
      return isError ? textOf({ ...answer }) : 'done';
    };
    const operations = [{ op: 'insert', line: 0, content: role }];
    return {
      tools,
      read: await call('block_read', { block_id: `${root}/@person/1` }),
      append: await call('node_append', { parent: root, messages: [{ role: 'user', content: role }] }),
      edit: await call('block_edit', { block_id: `${root}/@person/1`, operations }),
    };
  };
  const [reader, appender, writer, all] = [
    await listOf('reader'),
    await listOf('appender'),
    await listOf('writer'),
    await listOf('owner'),
  ];
  const sorted = (names: readonly string[]): string[] => names.toSorted();
  assert.deepEqual(sorted([...reader.tools, ...additions]), sorted(appender.tools));
  assert.deepEqual(sorted([...appender.tools, ...edits]), sorted(writer.tools));
  assert.deepEqual(all, writer);
  assert.deepEqual([reader.read, appender.read, writer.read], ['done', 'done', 'done']);
  assert.match(
    reader.append,
    /^You were not given the right to call node_append: it needs a token with the role appender\./u,
  );
  assert.match(
    appender.edit,
    /^You were not given the right to call block_edit: it needs a token with the role writer\./u,
  );
  assert.deepEqual([appender.append, writer.append, writer.edit], ['done', 'done', 'done']);
});

test('[MC8] a token for some conversations finds and reaches nothing of the others', async (t) => {
  const served = await serveLoom(t);
  const [mine, other] = [await served.requests.call('root.create', {}), await served.requests.call('root.create', {})];
  for (const { root } of [mine, other])
    await served.requests.call('node.append', { parent: root, messages: [{ role: 'user', content: 'a secret loom' }] });
  const { token } = await served.as({ agent: 'helper', type: 'model', role: 'writer', roots: [mine.root] });
  const client = await connectClient(t, served.url, token);
  const { tools } = await client.listTools();
  assert.ok(!tools.some(({ name }) => name === 'root_create'), 'what reaches beyond them is not offered');
  for (const [name, params] of [
    ['root_list', {}],
    ['kernel_search', { query: 'loom' }],
    ['block_list', {}],
  ] as const) {
    const text = textOf(await client.callTool({ name, arguments: params }));
    assert.ok(text.includes(mine.root) && !text.includes(other.root), `${name}: ${text}`);
  }
  const refused = await client.callTool({ name: 'block_read', arguments: { block_id: `${other.root}/@person/1` } });
  assert.match(
    textOf(refused),
    /^You were not given access to .*\. root_list shows the conversations that you may use\.$/u,
  );
});

test('[MC8] a token that is revoked is over at the next request', async (t) => {
  const served = await serveLoom(t);
  const { id, token } = await served.tokens.create({ identity: { agent: 'helper', type: 'model', role: 'reader' } });
  const client = await connectClient(t, served.url, token);
  await client.listTools();
  await served.tokens.revoke(id);
  await assert.rejects(client.callTool({ name: 'root_list', arguments: {} }));
});

test('[MC9] nothing that approves, answers, runs, deletes or needs an owner is offered, whatever the token', async (t) => {
  const served = await serveLoom(t);
  const client = await connectClient(t, served.url, (await served.as(owner)).token);
  const { tools } = await client.listTools();
  for (const { name, effect, role, doors } of served.engine.operations) {
    const isOffered = tools.some((tool) => tool.name === name.replaceAll('.', '_'));
    assert.equal(isOffered, doors.includes('mcp'), name);
    if (!isOffered) continue;
    assert.ok(effect !== 'runs' && role !== 'owner', name);
    assert.doesNotMatch(name, /^(?:turn|token|config|model|call|job)\.|decide|approve|remove|purge/u);
  }
});
