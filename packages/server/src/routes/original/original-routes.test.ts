import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { modelOperations, settingOperations } from '@loom/kernel';
import type { Operation, SettingValue } from '@loom/kernel';
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
const path = z.strictObject({
  root: z.looseObject({}),
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.unknown(), nodeId: z.string(), timestamp: z.string() }),
  ),
});
const root = z.strictObject({ id: z.string(), createdAt: z.string(), config: z.looseObject({}) });

/** Settings and models as a folder would have them. */
function hostOperations(): readonly Operation[] {
  const settings = new Map<string, SettingValue>();
  const models = ['fast', 'slow'].map((model) => ({
    name: `demo/${model}`,
    provider: 'demo',
    usable: model === 'fast',
    describe: () => ({ name: `demo/${model}`, provider: 'demo', model, usable: model === 'fast' }),
  }));
  const presets = () => ({
    items: [{ name: 'wild', active: settings.get('activePresetName') === 'wild', n: 3, settings: { temperature: 1 } }],
    defaults: { model: 'demo/fast', n: 1, settings: { temperature: 0.5, maxTokens: 100 }, system_prompt: 'Be kind.' },
  });
  const notAsked = (): Promise<never> => assert.fail('no key is asked for');
  return [
    ...modelOperations({
      models: async () => ({ ok: true, value: { models } }),
      presets: async () => ({ ok: true, value: presets() }),
      providers: notAsked,
      check: notAsked,
      setKey: notAsked,
    }),
    ...settingOperations({
      list: async () => ({
        ok: true,
        value: Array.from(settings, ([key, value]) => ({ key, value, origin: 'file' as const, secret: false })),
      }),
      set: async (key, value) => ({ ok: true, value: { changed: settings.set(key, value).has(key), notes: [] } }),
      unset: async (key) => ({ ok: true, value: { changed: settings.delete(key), notes: [] } }),
    }),
  ];
}

/** A client of the original: plain requests, ids in the path. */
async function open(t: TestContext) {
  const served: Served = await serveLoom(t, { engine: { operations: hostOperations() } });
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
  return z
    .array(node.pick({ message: true }))
    .parse(value)
    .map(({ message }) =>
      z
        .array(block)
        .parse(message.content)
        .map(({ text }) => text)
        .join('|'),
    );
}

test('[SV46] clients of the original begin, append, read and edit by its routes, and are answered in blocks', async (t) => {
  const { ask, root: conversation } = await open(t);
  const textsTo = async (id: string): Promise<unknown[]> => {
    const { root: config, messages } = path.parse((await ask('GET', `${at(id)}/path`)).body);
    assert.deepEqual(config, { systemPrompt: 'Be brief.' });
    assert.equal(messages.at(-1)?.nodeId, id);
    return texts(messages.map((message) => ({ message })));
  };
  assert.deepEqual(conversation.config, { systemPrompt: 'Be brief.' });
  const empty = await ask('GET', `${at(conversation.id)}/path`);
  assert.deepEqual(empty.body, { root: { systemPrompt: 'Be brief.' }, messages: [] });
  assert.deepEqual((await ask('POST', 'roots', { systemPrompt: 'Be brief.' })).body, conversation, 'it is found again');
  const first = await ask('POST', `${at(conversation.id)}/append`, { role: 'user', content: 'one two three' });
  assert.equal(first.status, 200);
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
  assert.deepEqual(await textsTo(below), ['one two three', 'from|blocks']);
  assert.deepEqual(texts((await ask('GET', `${at(id)}/children`)).body), ['from|blocks', 'another answer']);
  assert.deepEqual(texts((await ask('GET', `${at(conversation.id)}/children`)).body), ['one two three']);
  assert.ok(texts((await ask('GET', `${at(below)}/siblings`)).body).includes('another answer'));
  // With children, a text that shares its beginning is split there.
  const edited = await ask('PUT', `${at(id)}/content`, { content: 'one two four' });
  const divergent = await textsTo(node.parse(edited.body).id);
  assert.deepEqual([edited.status, divergent.join('')], [200, 'one two four']);
  assert.deepEqual((await textsTo(below)).join(''), 'one two threefrom|blocks');
  assert.deepEqual(z.array(root).parse((await ask('GET', 'roots')).body), [conversation]);
  const whole = z.looseObject({ child_ids: z.array(z.string()) }).parse((await ask('GET', at(conversation.id))).body);
  assert.partialDeepStrictEqual(whole, conversation);
  assert.equal(whole.child_ids.length, 1);
  assert.equal((await ask('GET', at('root-none'))).status, 404);
  const systemPrompt = 'Be long. '.repeat(1000);
  const long = root.parse((await ask('POST', 'roots', { systemPrompt })).body);
  assert.deepEqual(z.array(root).parse((await ask('GET', 'roots')).body), [long, conversation]);
  assert.deepEqual(long.config, { systemPrompt });
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

test('[SV46] for clients from before blocks generate answers with the first node of each answer once it is over, and deleting keeps what bookmarks protect', async (t) => {
  const { ask, root: conversation, requests } = await open(t);
  const { body } = await ask('POST', `${at(conversation.id)}/append`, { content: 'echo hi there' });
  const { id } = node.parse(body);
  const named = { providerName: 'demo', modelName: 'demo', n: 2 };
  const generated = await ask('POST', `${at(id)}/generate?format=legacy`, named);
  assert.equal(generated.status, 200);
  const [kept, gone] = nodes.parse(generated.body);
  assert.deepEqual([kept?.message.content, gone?.message.content], ['hi there', 'hi there']);
  await requests.call('node.bookmark', { node: kept?.id ?? '', title: 'kept' });
  const removed = await ask('DELETE', `${at(id)}/children`);
  assert.deepEqual(removed.body, { success: true, removed: [gone?.id], kept: [kept?.id] });
  assert.equal((await ask('POST', `${at(id)}/generate`, { providerName: 'none', modelName: 'x' })).status, 422);
});

test('[SV47] ?format=legacy answers messages as they were until September 2025, and says that this is going away', async (t) => {
  const { ask, root: conversation } = await open(t);
  const { body } = await ask('POST', `${at(conversation.id)}/append`, { content: 'call plan_tasks {"todos":[]}' });
  const { id } = node.parse(body);
  const named = { providerName: 'demo', modelName: 'demo', activeTools: ['plan_tasks'] };
  await ask('POST', `${at(id)}/generate?format=legacy`, named);
  const [answered] = nodes.parse((await ask('GET', `${at(id)}/children`)).body);
  const legacy = await ask('GET', `${at(answered?.child_ids[0] ?? '')}/path?format=legacy`);
  assert.equal(legacy.headers.get('deprecation'), '@1756684800');
  const { messages } = path.parse(legacy.body);
  assert.partialDeepStrictEqual(messages[0], { role: 'user', content: 'call plan_tasks {"todos":[]}', nodeId: id });
  assert.partialDeepStrictEqual(messages[1], { sourceProvider: 'demo', sourceModelName: 'demo' });
  const calls = z.array(z.looseObject({ id: z.string(), function: z.unknown() })).parse(messages[1]?.['tool_calls']);
  assert.deepEqual(calls[0]?.function, { name: 'plan_tasks', arguments: '{"todos":[]}' });
  assert.deepEqual([messages[2]?.role, messages[2]?.['tool_call_id']], ['tool', calls[0]?.id]);
  assert.equal((await ask('GET', at(id))).headers.get('deprecation'), null);
});

test('[SV52] state, defaults, presets, models and tools are found where clients of the original look for them', async (t) => {
  const { ask, as } = await open(t);
  const body = async (method: string, where: string, value?: unknown) => (await ask(method, where, value)).body;
  assert.deepEqual(await body('GET', 'state'), { currentNodeId: null });
  assert.deepEqual(await body('PUT', 'state', { currentNodeId: 'root-1/node-2' }), { currentNodeId: 'root-1/node-2' });
  assert.deepEqual(await body('GET', 'state'), { currentNodeId: 'root-1/node-2' });
  assert.equal((await ask('PUT', 'state', {})).status, 400);
  assert.deepEqual(await body('GET', 'config/defaults'), {
    model: 'demo/fast',
    n: 1,
    temperature: 0.5,
    maxTokens: 100,
    systemPrompt: 'Be kind.',
  });
  const presets = { wild: { n: 3, temperature: 1 } };
  assert.deepEqual(await body('GET', 'config/presets'), { presets, activePresetName: null });
  assert.deepEqual(await body('PUT', 'config/active-preset', { presetName: 'wild' }), { activePresetName: 'wild' });
  assert.deepEqual(await body('GET', 'config/presets'), { presets, activePresetName: 'wild' });
  for (const presetName of ['none', 5, '', '__proto__'])
    assert.equal((await ask('PUT', 'config/active-preset', { presetName })).status, 400, String(presetName));
  assert.deepEqual(await body('PUT', 'config/active-preset', { presetName: null }), { activePresetName: null });
  assert.deepEqual(await body('GET', 'models'), ['demo/fast']);
  const tools = z.array(z.looseObject({ name: z.string() })).parse(await body('GET', 'tools'));
  assert.ok(tools.some(({ name }) => name === 'plan_tasks'));
  const writer = await as({ agent: 'bot', type: 'tool', role: 'writer' });
  assert.equal((await writer.fetch('/api/state')).status, 403);
});

test('[SV52] bookmarks have a title each, and deleting one by its title lets its node go', async (t) => {
  const { ask, root: conversation } = await open(t);
  const say = async (content: string): Promise<string> =>
    node.parse((await ask('POST', `${at(conversation.id)}/append`, { content })).body).id;
  const [one, two] = [await say('one'), await say('two')];
  const save = (nodeId: string, title: string) => ask('POST', 'bookmarks', { title, nodeId, rootId: conversation.id });
  const bookmark = z.strictObject({
    title: z.string(),
    nodeId: z.string(),
    rootId: z.literal(conversation.id),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  });
  const list = async (): Promise<string[][]> =>
    z
      .array(bookmark)
      .parse((await ask('GET', 'bookmarks')).body)
      .map(({ title, nodeId }) => [title, nodeId]);
  assert.equal(bookmark.parse((await save(one, 'A title / here')).body).nodeId, one);
  await save(two, 'other');
  assert.deepEqual(await list(), [
    ['A title / here', one],
    ['other', two],
  ]);
  await save(two, 'A title / here');
  assert.deepEqual(await list(), [['A title / here', two]], 'a title is one place');
  assert.equal((await ask('DELETE', at(two))).status, 409);
  assert.deepEqual((await ask('DELETE', `bookmarks/${encodeURIComponent('A title / here')}`)).body, { success: true });
  assert.deepEqual((await ask('DELETE', 'bookmarks/none')).body, { success: true });
  assert.deepEqual(await list(), []);
  assert.equal((await ask('POST', 'bookmarks', { title: '', nodeId: one })).status, 400);
  assert.equal((await save(`${conversation.id}/node-99`, 'x')).status, 404);
});

test('[SV52] the topology has every node of every conversation, which itself is one without a parent', async (t) => {
  const { ask, root: conversation } = await open(t);
  const first = node.parse((await ask('POST', `${at(conversation.id)}/append`, { content: 'one' })).body).id;
  const below = node.parse((await ask('POST', `${at(first)}/append`, { role: 'assistant', content: 'two' })).body).id;
  const structure = z.array(
    z.strictObject({
      id: z.string(),
      parent_id: z.string().nullable(),
      child_ids: z.array(z.string()),
      root_id: z.literal(conversation.id),
      timestamp: z.iso.datetime(),
      role: z.string(),
    }),
  );
  const found = structure.parse((await ask('GET', 'graph/topology')).body);
  assert.deepEqual(
    found.map(({ id, parent_id, child_ids, role }) => [id, parent_id, child_ids, role]),
    [
      [conversation.id, null, [first], 'system'],
      [first, conversation.id, [below], 'user'],
      [below, first, [], 'assistant'],
    ],
  );
});
