import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { serveLoom } from '../../testing/served-loom.ts';
import type { Served } from '../../testing/served-loom.ts';

const node = z.looseObject({
  id: z.string(),
  parent_id: z.string(),
  child_ids: z.array(z.string()),
  message: z.looseObject({ role: z.string(), content: z.unknown() }),
});
const nodes = z.array(node);
const root = z.strictObject({ id: z.string(), createdAt: z.string(), config: z.looseObject({}) });

/** A client of the original: plain requests, ids in the path. */
async function open(t: TestContext) {
  const served: Served = await serveLoom(t);
  const ask = async (method: string, path: string, value?: unknown) => {
    const init =
      value === undefined ? {} : { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
    const answer = await served.requests.fetch(`/api/${path}`, { method, ...init });
    return { status: answer.status, body: z.unknown().parse(await answer.json()), headers: answer.headers };
  };
  const begun = await ask('POST', 'roots', { systemPrompt: 'Be brief.' });
  return { ...served, ask, root: root.parse(begun.body) };
}

function at(id: string): string {
  return `nodes/${encodeURIComponent(id)}`;
}

/** The texts of nodes in blocks. */
function texts(value: unknown): unknown[] {
  const block = z.looseObject({ text: z.string() });
  return nodes.parse(value).map(({ message }) =>
    z
      .array(block)
      .parse(message.content)
      .map(({ text }) => text)
      .join('|'),
  );
}

test('[SV46] clients of the original begin, append, read and edit by its routes, and are answered in blocks', async (t) => {
  const { ask, root: conversation } = await open(t);
  assert.deepEqual(conversation.config, { systemPrompt: 'Be brief.' });
  const first = await ask('POST', `${at(conversation.id)}/append`, { role: 'user', content: 'one two three' });
  assert.equal(first.status, 201);
  const { id } = node.parse(first.body);
  assert.deepEqual(texts([first.body]), ['one two three']);
  const blocks = [
    { type: 'text', text: 'from' },
    { type: 'text', text: 'blocks' },
  ];
  const second = await ask('POST', `${at(id)}/append`, { role: 'assistant', content: blocks });
  assert.deepEqual(texts([second.body]), ['from|blocks']);
  await ask('POST', `${at(id)}/append`, { role: 'assistant', content: 'another answer' });
  assert.deepEqual(texts([(await ask('GET', at(id))).body]), ['one two three']);
  const below = node.parse(second.body).id;
  assert.deepEqual(texts((await ask('GET', `${at(below)}/path`)).body), ['one two three', 'from|blocks']);
  assert.deepEqual(texts((await ask('GET', `${at(id)}/children`)).body), ['from|blocks', 'another answer']);
  assert.deepEqual(texts((await ask('GET', `${at(conversation.id)}/children`)).body), ['one two three']);
  assert.ok(texts((await ask('GET', `${at(below)}/siblings`)).body).includes('another answer'));
  // With children, a text that shares its beginning is split there.
  const edited = await ask('PUT', `${at(id)}/content`, { content: 'one two four' });
  const path = texts((await ask('GET', `${at(node.parse(edited.body).id)}/path`)).body);
  assert.deepEqual([edited.status, path.join('')], [200, 'one two four']);
  assert.deepEqual(texts((await ask('GET', `${at(below)}/path`)).body).join(''), 'one two threefrom|blocks');
  assert.deepEqual(z.array(root).parse((await ask('GET', 'roots')).body), [conversation]);
});

test('[SV46] what the original refused is refused: calls of tools, empty messages, unknown nodes; nothing is written', async (t) => {
  const { ask, root: conversation } = await open(t);
  const { body } = await ask('POST', `${at(conversation.id)}/append`, { content: 'hello' });
  const { id } = node.parse(body);
  const call = [{ type: 'tool-use', id: 'c1', name: 'shell', parameters: {} }];
  const refusals: [string, string, unknown, number, RegExp][] = [
    ['POST', `${at(id)}/append`, { role: 'assistant', content: call }, 400, /calls of tools cannot be written/u],
    ['PUT', `${at(id)}/content`, { content: call }, 400, /calls of tools cannot be written/u],
    ['PUT', `${at(id)}/content`, { content: 5 }, 400, /string or blocks of text/u],
    ['POST', `${at(id)}/append`, { role: 'tool', content: 'x' }, 400, /role/u],
    ['POST', `${at(id)}/append`, { content: '  ' }, 422, /says nothing/u],
    ['GET', at(`${conversation.id}/node-99`), undefined, 404, /node-99/u],
    ['GET', `${at('root-none/node-1')}/path`, undefined, 404, /root-none/u],
    ['DELETE', at(`${conversation.id}/node-99`), undefined, 404, /node-99/u],
  ];
  for (const [method, path, value, status, words] of refusals) {
    const refused = await ask(method, path, value);
    assert.equal(refused.status, status, `${method} ${path}: ${JSON.stringify(refused.body)}`);
    assert.match(z.looseObject({ error: z.string() }).parse(refused.body).error, words);
  }
  assert.deepEqual(texts((await ask('GET', `${at(conversation.id)}/children`)).body), ['hello']);
  assert.deepEqual(texts((await ask('GET', `${at(id)}/children`)).body), []);
});

test('[SV46] generate answers with the first node of each answer once it is over, and deleting keeps what bookmarks protect', async (t) => {
  const { ask, root: conversation, requests } = await open(t);
  const { body } = await ask('POST', `${at(conversation.id)}/append`, { content: 'echo hi there' });
  const { id } = node.parse(body);
  const generated = await ask('POST', `${at(id)}/generate`, { providerName: 'demo', modelName: 'demo', n: 2 });
  assert.equal(generated.status, 201);
  assert.deepEqual(texts(generated.body), ['hi there', 'hi there']);
  const [kept, gone] = nodes.parse(generated.body);
  await requests.call('node.bookmark', { node: kept?.id ?? '', title: 'kept' });
  const removed = await ask('DELETE', `${at(id)}/children`);
  assert.deepEqual(removed.body, { removed: [gone?.id], kept: [kept?.id] });
  assert.equal((await ask('POST', `${at(id)}/generate`, { providerName: 'none', modelName: 'x' })).status, 422);
});

test('[SV47] ?format=legacy answers messages as they were until September 2025, and says that this is going away', async (t) => {
  const { ask, root: conversation } = await open(t);
  const { body } = await ask('POST', `${at(conversation.id)}/append`, { content: 'call todo {"todos":[]}' });
  const { id } = node.parse(body);
  await ask('POST', `${at(id)}/generate`, { providerName: 'demo', modelName: 'demo', activeTools: ['todo'] });
  const [answered] = nodes.parse((await ask('GET', `${at(id)}/children`)).body);
  const legacy = await ask('GET', `${at(answered?.child_ids[0] ?? '')}/path?format=legacy`);
  assert.equal(legacy.headers.get('deprecation'), '@1756684800');
  const messages = nodes.parse(legacy.body).map(({ message }) => message);
  assert.deepEqual(messages[0], { role: 'user', content: 'call todo {"todos":[]}' });
  const calls = z.array(z.looseObject({ id: z.string(), function: z.unknown() })).parse(messages[1]?.['tool_calls']);
  assert.deepEqual(calls[0]?.function, { name: 'todo', arguments: '{"todos":[]}' });
  assert.deepEqual([messages[2]?.role, messages[2]?.['tool_call_id']], ['tool', calls[0]?.id]);
  assert.equal((await ask('GET', at(id))).headers.get('deprecation'), null);
});
