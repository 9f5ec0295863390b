import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { LoomEngine } from './calling/engine.ts';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../provider.ts';
import type { Outcome, RefusalReason } from '../refusal.ts';
import type { Store } from '../store.ts';
import { generateParams } from '../testing/operation-params.ts';
import { Random } from '../testing/random.ts';
import { createWorld } from '../testing/world.ts';
import { defineOperation } from './operation.ts';
import type { Caller } from './operation.ts';
import { idsNamed, placeId, rootId } from '../forest/ids.ts';
import { kernelOperations } from './table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

function assertRefused(outcome: Outcome<unknown>, reason: RefusalReason): void {
  assert.equal(outcome.ok ? 'done' : outcome.refusal.reason, reason);
}

test('[FR125] what a process that is gone has left running is not listed as running, and what runs is', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'so' } };
    await end;
    yield { type: 'call-end', reason: 'stop' };
  }
  const world = await createWorld([slow]);
  const turn = await world.answer(await world.say('go'));
  while ((await world.nodes()).length < 2) await setImmediate();
  const running = async (engine: LoomEngine): Promise<string[]> =>
    value(await engine.call('root.list', by(), {})).items.flatMap((item) => item.running);
  assert.deepEqual(await running(world.engine), [turn]);
  // One that has the store for itself knows that no other is there.
  const next = world.another({ exclusive: true });
  assert.deepEqual(await running(next), []);
  resolve();
  await next.close();
});

test('[OP47] a row makes its schemas once, when they are asked for, and not to be listed', async () => {
  const made: string[] = [];
  const row = defineOperation({
    name: 'planted.look',
    summary: 'Says which conversation was meant.',
    params: () => {
      made.push('params');
      return z.strictObject({ root: rootId });
    },
    result: () => {
      made.push('result');
      return z.string();
    },
    effect: 'reads',
    run: async (_engine, _caller, { root }) => ({ ok: true, value: root }),
  });
  const { root, another } = await createWorld();
  const engine = another({ operations: [row] });
  const { items } = value(await engine.call('operation.list', by(), {}));
  assert.ok(items.some(({ name }) => name === 'planted.look'));
  assert.deepEqual(made, []);
  for (let call = 0; call < 2; call += 1) assert.equal(value(await engine.call('planted.look', by(), { root })), root);
  assert.deepEqual(made, ['params']);
  assert.equal(row.result, row.result);
  assert.deepEqual(row.refusals, ['invalid-params', 'not-permitted', 'root-not-found']);
  assert.deepEqual(made, ['params', 'result']);
});

test('[OP2] an unknown operation is refused with the names that may have been meant', async () => {
  const { engine } = await createWorld();
  const near = await engine.call('node.apend', by(), {});
  assertRefused(near, 'unknown-operation');
  assert.match(JSON.stringify(near), /"node\.append"/u);
  assert.match(JSON.stringify(await engine.call('root.frobnicate', by(), {})), /"root\.create"/u);
  assertRefused(await engine.call('constructor', by(), {}), 'unknown-operation');
});

test('[OP2] parameters are parsed by the schema of the row, and so is who asks', async () => {
  const { engine, root } = await createWorld();
  const params: unknown = { parent: root, messages: [{ role: 'user', content: 7 }] };
  const name: string = 'node.append';
  assertRefused(await engine.call(name, by(), params), 'invalid-params');
  assertRefused(await engine.call('root.create', by({ id: '' }), {}), 'invalid-params');
});

test('[OP3] a caller that its door, its role or its conversations do not allow it is refused, and nothing is done', async () => {
  const { engine, root, state } = await createWorld();
  const { root: other } = value(await engine.call('root.create', by(), {}));
  const { seq } = await state();
  const say = (parent: string) => ({ parent, messages: [{ role: 'user' as const, content: 'hello' }] });
  const refused = async (caller: Caller, parent = root): Promise<void> =>
    assertRefused(await engine.call('node.append', caller, say(parent)), 'not-permitted');
  await refused(by({ role: 'reader' }));
  await refused(by({ door: 'model' }));
  await refused(by({ roots: [other] }));
  await refused(by({ roots: [] }), other);
  assertRefused(await engine.call('root.create', by({ roots: [root] }), {}), 'not-permitted');
  assert.equal((await state()).seq, seq);
  value(await engine.call('node.append', by({ roots: [root], role: 'writer' }), say(root)));
  const listed = value(await engine.call('root.list', by({ roots: [other] }), {}));
  assert.deepEqual(
    listed.items.map(({ id }) => id),
    [other],
  );
});

test('[OP17] an appender adds messages, blocks and conversations, and alters nothing that is there', async () => {
  const { engine, root, state } = await createWorld();
  const appender = by({ agent: 'bot', role: 'appender' });
  const { root: own } = value(await engine.call('root.create', { ...appender, id: 'new' }, {}));
  const said = { parent: own, messages: [{ role: 'user' as const, content: 'hello' }] };
  const [node = ''] = value(await engine.call('node.append', { ...appender, id: 'say' }, said)).nodes;
  const grown = { parent_id: node, role: 'assistant' as const, kind: 'text' };
  const { block_id } = value(await engine.call('block.create', { ...appender, id: 'grow' }, grown));
  value(await engine.call('block.append', { ...appender, id: 'more' }, { block_id, text: 'hi' }));
  value(await engine.call('block.status', { ...appender, id: 'end' }, { block_id, status: 'done' }));
  const { seq } = await state();
  const operations = [{ op: 'delete' as const, start_line: 0, end_line: 1 }];
  assertRefused(await engine.call('block.edit', { ...appender, id: 'a' }, { block_id, operations }), 'not-permitted');
  assertRefused(await engine.call('node.edit', { ...appender, id: 'b' }, { node, content: 'x' }), 'not-permitted');
  assertRefused(await engine.call('node.remove', { ...appender, id: 'c' }, { node }), 'not-permitted');
  assertRefused(await engine.call('root.mark', { ...appender, id: 'd' }, { root, title: 'x' }), 'not-permitted');
  assert.equal((await state()).seq, seq);
  const adding = engine.operations.filter(({ role }) => role === 'appender').map(({ name }) => name);
  assert.deepEqual(adding.toSorted(), [
    'block.append',
    'block.create',
    'block.status',
    'draft.create',
    'node.append',
    'root.create',
    'root.find_or_create',
  ]);
});

test('[OP18] where and how freely tools work in a conversation is said by an owner alone', async () => {
  const { engine } = await createWorld();
  for (const config of [{ tools: ['shell'] }, { directory: '/' }, { approval_mode: 'edit' as const }]) {
    for (const name of ['root.create', 'root.find_or_create'] as const) {
      const id = `${name} ${JSON.stringify(config)}`;
      assertRefused(await engine.call(name, by({ role: 'writer', id }), { config }), 'not-permitted');
      value(await engine.call(name, by({ role: 'owner', id: `${id} 2` }), { config }));
    }
  }
  value(
    await engine.call('root.create', by({ role: 'appender', id: 'plain' }), { config: { systemPrompt: 'Be brief.' } }),
  );
});

test('[OP4] the conversations of a call are found by its ids, wherever these stand', () => {
  const params = z.strictObject({
    a: placeId.describe('An id with other words.'),
    b: z.array(z.tuple([placeId, z.int()])).exactOptional(),
    c: z
      .discriminatedUnion('type', [z.strictObject({ type: z.literal('x'), node: placeId.nullable() })])
      .exactOptional(),
    d: z.string(),
  });
  assert.deepEqual(
    rootsNamed(params, {
      a: 'r1/node-1',
      b: [
        ['r2/@ann/3', 1],
        ['r1', 2],
      ],
      d: 'r9',
    }),
    ['r1', 'r2'],
  );
  assert.deepEqual(rootsNamed(params, { a: 'x', c: { type: 'x', node: 'a/b/node-1' } }), ['x', 'a/b']);
});

test('[OP4] every parameter that is named after a conversation, a node or a block is an id', () => {
  const isNamedSo = /^(?:roots?|nodes?|parents?)$|(?:root|node|block|parent)_ids?$/u;
  for (const { name, params } of kernelOperations) {
    for (const [key, schema] of Object.entries<z.ZodType>(params.shape)) {
      if (!isNamedSo.test(key)) continue;
      assert.ok(holdsId(schema), `${name}: ${key}`);
    }
  }
});

/** Returns true if a parameter is an id, or a list of ids, alone or with versions. */
function holdsId(schema: z.ZodType): boolean {
  return ['r/node-1', ['r/node-1'], [['r/node-1', 1]]].some((sample) => rootsNamed(schema, sample).length > 0);
}

test('[OP5] what an earlier process left open in a conversation is closed when it is first opened, and not again', async () => {
  const { engine, root, another, ids } = await createWorld();
  const begin = async ({ blocks }: LoomEngine): Promise<string> => {
    const made = await blocks.create({ agent: 'ann', id: ids.next() }, { parent_id: root, role: 'user', kind: 'text' });
    const { block_id } = 'refusal' in made ? assert.fail() : made;
    await blocks.append({ agent: 'ann', id: ids.next() }, { block_id, text: 'half' });
    return block_id;
  };
  const left = await begin(engine);
  const looking = another({ exclusive: true, isOwnerless: async () => false });
  assert.equal(value(await looking.open(root)).block(left)?.status, 'running', 'another process is writing it');
  const heir = another({ exclusive: true });
  assert.equal(value(await heir.open(root)).block(left)?.error?.code, 'interrupted');
  const own = await begin(heir);
  assert.equal(value(await heir.open(root)).block(own)?.status, 'running');
});

test('[OP5] a conversation that there is not is refused', async () => {
  const { engine } = await createWorld();
  assertRefused(await engine.open('root-unknown'), 'root-not-found');
  assertRefused(await engine.open('forest'), 'root-not-found');
});

/** Returns a store that notes requests about roots that do not exist. */
function noteUnknown(store: Store, touched: string[]): Store {
  return new Proxy(store, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof part !== 'function') return part;
      return (...given: unknown[]): unknown => {
        if (String(given[0]).includes('unknown-')) touched.push(`${String(key)} ${String(given[0])}`);
        return Reflect.apply(part, target, given);
      };
    },
  });
}

test('[OP6] 20,000 calls with unknown ids read no log and keep nothing', async () => {
  const { store, another } = await createWorld();
  const touched: string[] = [];
  const refused = new Set<string>();
  const engine = another({ store: noteUnknown(store, touched) });
  const random = new Random(1);
  const rows = kernelOperations.filter(({ params }) =>
    Object.values<z.ZodType>(params.shape).some((schema) => holdsId(schema) && !schema.safeParse(undefined).success),
  );
  for (let index = 0; index < 20_000; index += 1) {
    const row = rows[index % rows.length] ?? assert.fail();
    const aim = {
      id: (kind: string) => (kind === 'root' ? `unknown-${index}` : `unknown-${index}/node-1`),
      named: {
        messages: () => [{ role: 'user', content: 'x' }],
        query: () => 'x',
        content: () => 'x',
      },
      text: () => 'text',
    };
    const outcome = await engine.call<string>(row.name, by(), generateParams(random, row.params, aim));
    if (!outcome.ok && outcome.refusal.reason.endsWith('-not-found')) refused.add(row.name);
  }
  assert.deepEqual(
    rows.filter(({ name }) => !refused.has(name) && name !== 'block.sync').map(({ name }) => name),
    [],
  );
  assert.deepEqual(touched, []);
});

test('[OP7] every row has a name of noun and verb, a sentence, and words for its parameters', () => {
  const names = kernelOperations.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, summary, params } of kernelOperations) {
    assert.match(name, /^[a-z]+\.[a-z]+(?:_[a-z]+)*$/u);
    assert.match(summary, /^[A-Z].*\.$/u, name);
    for (const [key, schema] of Object.entries<z.ZodType>(params.shape)) {
      assert.match(key, /^[a-z]+(?:_[a-z]+)*$/u, name);
      assert.ok((schema.description ?? '').length >= 10, `${name}: ${key} says what it is`);
    }
  }
});

test('[OP43] conversations that were sent out by others can be left out of the list, and its pages are full all the same', async () => {
  const { engine, root } = await createWorld();
  const roots = [root];
  for (let index = 0; index < 5; index += 1) roots.push(value(await engine.call('root.create', by(), {})).root);
  const [sentOut = '', imported = '', exported = ''] = roots.slice(2);
  const origin = (id: string) => ({ origin: { source: 'loom', id } });
  value(await engine.call('root.configure', by(), { root: sentOut, config: origin(`${root}/node-2`) }));
  value(await engine.call('root.configure', by(), { root: imported, config: { sender: `${root}/node-2` } }));
  value(await engine.call('root.configure', by(), { root: exported, config: origin('root-of-another-forest') }));
  const first = value(await engine.call('root.list', by(), { limit: 2, children: false }));
  const second = value(await engine.call('root.list', by(), { limit: 2, children: false, after: first.next ?? '' }));
  assert.deepEqual(
    [first.items.length, second.next, ...[...first.items, ...second.items].map(({ id }) => id).sort()],
    [2, undefined, ...roots.filter((id) => id !== sentOut && id !== imported).sort()],
  );
});

test('[OP9] a list is read page by page, without a gap', async () => {
  const { engine, root } = await createWorld();
  for (let index = 0; index < 4; index += 1) value(await engine.call('root.create', by(), {}));
  const messages = ['a', 'b', 'c'].map((content) => ({ role: 'user' as const, content }));
  value(await engine.call('node.append', by(), { parent: root, messages }));
  const roots: string[] = [];
  for (let after: string | undefined, isOver = false; !isOver;) {
    const page = value(await engine.call('root.list', by(), { limit: 2, ...(after === undefined ? {} : { after }) }));
    roots.push(...page.items.map(({ id }) => id));
    after = page.next;
    isOver = after === undefined;
  }
  assert.equal(new Set(roots).size, 5);
  assert.equal(roots.length, 5);
  assert.equal(roots[0], root, 'the one that was changed last');
  const own = { roots: [roots[1] ?? '', roots[4] ?? ''] };
  const mine = value(await engine.call('root.list', by(own), { limit: 1 }));
  const others = value(await engine.call('root.list', by(own), { limit: 1, after: mine.next ?? '' }));
  assert.deepEqual(
    [...mine.items, ...others.items].map(({ id }) => id),
    own.roots,
  );
  assert.equal(others.next, undefined);
  for (const after of ['', 'x', '{"log":1}', 'null']) {
    assertRefused(await engine.call('root.list', by(), { after }), 'invalid-params');
  }
  value(await engine.call('root.remove', by(), { root }));
  const ids = value(await engine.call('id.list', by(), { limit: 3 }));
  const later = value(await engine.call('id.list', by(), { limit: 3, after: ids.next ?? '' }));
  assert.equal(ids.items[0], root, 'in the order of their beginning, the deleted one too');
  assert.deepEqual([...ids.items, ...later.items].sort(), [...roots].sort());
  assert.deepEqual([ids.items.length, later.next], [3, undefined]);
  value(await engine.call('root.restore', by(), { root }));
  const first = value(await engine.call('tree.subtree', by(), { top: root, limit: 2 }));
  const rest = value(await engine.call('tree.subtree', by(), { top: root, limit: 2, after: first.next ?? '' }));
  assert.deepEqual(
    [...first.items, ...rest.items].map(({ id }) => id),
    value(await engine.call('tree.topology', by(), { top: root })).nodes.map(({ id }) => id),
  );
  assert.equal(rest.next, undefined);
});

test('[OP8] content is a text or a list of blocks, for what is said, edited, steered and queued', async () => {
  const { engine, root, state } = await createWorld();
  const blocks = [{ type: 'text' as const, text: 'two' }];
  const said = value(
    await engine.call('node.append', by(), {
      parent: root,
      messages: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
      ],
    }),
  );
  const last = said.nodes.at(-1) ?? '';
  for (const content of ['three', [{ type: 'text' as const, text: 'four' }]]) {
    value(await engine.call('node.edit', by(), { node: last, content }));
    const text = typeof content === 'string' ? content : content[0]?.text;
    assert.deepEqual(
      [...(await state()).nodes.values()].map(({ blocks: [block] }) => (block?.type === 'text' ? block.text : '')),
      ['one', text],
    );
  }
  for (const content of ['more', blocks]) {
    assertRefused(await engine.call('turn.steer', by(), { root, turn: 'turn-0', content }), 'turn-not-found');
    assertRefused(await engine.call('turn.queue', by(), { root, turn: 'turn-0', content }), 'turn-not-found');
  }
});

test('[OP13] turn.wait answers without an end when the engine closes, also for a turn of another process', async () => {
  const { engine, another, say, answer } = await createWorld([goOn]);
  const node = await say('hello');
  const turn = await answer(node);
  const root = node.slice(0, node.lastIndexOf('/'));
  const beside = another({ isOwnerless: async () => false });
  const waits = [beside, engine].map((process) => process.call('turn.wait', by(), { root, turn }));
  await setImmediate();
  await beside.close();
  assert.deepEqual(value(await (waits[0] ?? assert.fail())), {});
  await engine.close();
  assert.deepEqual(value(await (waits[1] ?? assert.fail())), {});
  assert.deepEqual(
    value(await engine.call('turn.wait', by(), { root, turn })),
    {},
    'it does not begin to wait any more',
  );
});

/** A model that speaks until it is stopped. */
async function* goOn(_request: ProviderRequest, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
  yield { type: 'call-start' };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

test('[OP14] a feed has what becomes durable in a conversation, and ends with the engine', async () => {
  const { engine, root, say } = await createWorld();
  const before = await engine.forest.log(root).cursor();
  const live = value(await engine.feed(root));
  await say('one');
  const heard: number[] = [];
  for await (const item of value(await engine.feed(root, { ...before, seq: 0 }))) {
    if (item.type === 'change') heard.push(item.seq);
    if (heard.length > before.seq) break;
  }
  assert.deepEqual(
    heard,
    Array.from({ length: before.seq + 1 }, (_, index) => index + 1),
  );
  await engine.close();
  for await (const item of live) assert.fail(item.type);
});

test('[OP14] the feed of a conversation that there is not is refused, and nothing is kept of it', async () => {
  const { store, another } = await createWorld();
  const touched: string[] = [];
  const engine = another({ store: noteUnknown(store, touched) });
  assertRefused(await engine.feed('unknown-1'), 'root-not-found');
  assert.deepEqual(touched, []);
});

test('[OP15] what other programs have written about a conversation is taken in before a call that names it', async () => {
  const { root, another } = await createWorld();
  const events: string[] = [];
  const engine = another({ beforeOpen: async (opened) => void events.push(opened) });
  value(await engine.call('root.get', by(), { root }));
  assertRefused(await engine.call('root.get', by(), { root: 'unknown-1' }), 'root-not-found');
  assertRefused(await engine.call('root.get', by({ roots: [] }), { root }), 'not-permitted');
  assert.deepEqual(events, [root]);
});

/** The conversations that parameters name, by any of their ids, each once. */
function rootsNamed(schema: z.ZodType, params: unknown): string[] {
  return idsNamed(schema, params).map(({ root }) => root);
}
