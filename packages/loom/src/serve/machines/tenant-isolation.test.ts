import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { LoomEngine } from '@loom/kernel';
import type { Caller, Operation } from '@loom/kernel';
import { generateParams, Random, VirtualClock } from '@loom/kernel/testing';
import { createDemoProvider } from '@loom/providers/demo';
import type { PostgresStore } from '@loom/stores/postgres';
import { noDatabase, testSchema } from '@loom/stores/postgres/testing';
import { accessOperations } from '../access-operations.ts';
import { openStoredTokens } from './token-documents.ts';

const rounds = 6;
/** A word in everything that the other tenant has. */
const secret = 'zebra';

interface Tenant {
  engine: LoomEngine;
  store: PostgresStore;
  root: string;
  ids: { root: string[]; node: string[]; block: string[]; other: string[] };
}

let lastId = 0;
const by = (): Caller => ({
  agent: 'ada',
  type: 'person',
  role: 'owner',
  door: 'library',
  id: `call-${(lastId += 1)}`,
});

/** A tenant with a conversation, a bookmark, a turn, a blob, a home and a token, all of which say a word. */
async function createTenant(t: TestContext, word: string): Promise<Tenant> {
  const schema = await testSchema(t);
  const store = await schema.open();
  const clock = new VirtualClock();
  const ids = { next: () => `${word}${String((lastId += 1)).padStart(8, '0')}` };
  const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };
  const operations = accessOperations(openStoredTokens(store));
  const providers = [createDemoProvider({ clock })];
  const engine = new LoomEngine({ clock, ids, hash, providers, tools: [], operations, store, holder: word });
  t.after(() => engine.close());
  const ask = async (name: string, params: unknown): Promise<unknown> => {
    const outcome = await engine.call<string>(name, by(), params);
    assert.ok(outcome.ok, `${name}: ${JSON.stringify(outcome)}`);
    return outcome.value;
  };
  const created = await engine.call('root.create', by(), { config: { systemPrompt: word } });
  assert.ok(created.ok);
  const { root } = created.value;
  const said = await engine.call('node.append', by(), {
    parent: root,
    messages: [{ role: 'user', content: `one ${word}` }],
  });
  assert.ok(said.ok);
  const [node = ''] = said.value.nodes;
  await ask('root.mark', { root, title: word, tags: [word] });
  await ask('node.bookmark', { node, title: word });
  await ask('token.create', { agent: word, type: 'tool', role: 'reader' });
  const blob = await store.putBlob(Buffer.from(word));
  const state = await engine.forest.log(root).state();
  const other = [blob, ...state.turns.keys()];
  return {
    engine,
    store,
    root,
    ids: { root: [root], node: [...state.nodes.keys()], block: [...state.nodeOfBlock.keys()], other },
  };
}

function paramsFor(random: Random, row: Operation, { ids }: Tenant, names: readonly string[]): Record<string, unknown> {
  const pick = (list: readonly string[]): string => random.pick(list) ?? '';
  return generateParams(random, row.params, {
    id: (kind) =>
      pick(
        kind === 'place' || kind === 'root'
          ? [...ids.root, ...(kind === 'place' ? ids.node : [])]
          : ids[kind === 'node' ? 'node' : 'block'],
      ),
    named: {
      provider: () => 'demo',
      messages: () => [{ role: 'user', content: 'more' }],
      query: () => pick([secret, 'one', 'o.e']),
      name: () => pick(names),
      kind: () => 'text',
      kinds: () => ['text'],
      blob: () => pick(ids.other),
    },
    // Words of the other tenant that were written here would be read again later, and taken for leaks.
    text: () => (row.effect === 'reads' ? pick([...ids.root, ...ids.other, secret, 'one']) : 'one'),
  });
}

function stringsIn(value: unknown): Set<string> {
  const found = new Set<string>();
  JSON.stringify(value, (key, part: unknown) => {
    found.add(key);
    if (typeof part === 'string') found.add(part);
    return part;
  });
  return found;
}

/** Returns what an answer says of the other tenant, but for what the caller has said itself. */
function leaksIn(outcome: unknown, params: unknown, other: Tenant): string[] {
  const given = [...stringsIn(params)];
  const known = [secret, ...other.ids.root, ...other.ids.other];
  return [...stringsIn(outcome)].filter(
    (text) =>
      known.some((part) => text.includes(part)) &&
      !given.some((said) => said.includes(text) || (text.includes(said) && said.length > 4)),
  );
}

/** Everything that the store of a tenant holds in its logs. */
async function contentsOf({ store }: Tenant): Promise<string> {
  const logs = await Promise.all((await store.logs()).map(async (log) => [log, await store.read(log, 0)] as const));
  return JSON.stringify([logs, await store.readDocument('tokens')]);
}

test(
  '[PG40] whatever operation a tenant calls with ids of another one, it learns and changes nothing of it',
  { skip: noDatabase },
  async (t) => {
    const [own, other] = [await createTenant(t, 'own'), await createTenant(t, secret)];
    const { operations } = own.engine;
    const names = operations.map(({ name }) => name);
    const random = new Random(5);
    const before = await contentsOf(other);
    let tried = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const row of operations) {
        const params = paramsFor(random, row, other, names);
        const outcome = await own.engine.call<string>(row.name, by(), params);
        tried += 1;
        assert.deepEqual(leaksIn(outcome, params, other), [], `${row.name} ${JSON.stringify(params)}`);
      }
    }
    assert.ok(tried > 300, `${tried} calls`);
    assert.equal(await contentsOf(other), before);
    // The same search in the tenant itself finds what was looked for, so that it could have been found.
    const found = await other.engine.call('kernel.search', by(), { query: secret });
    assert.ok(found.ok && found.value.blocks.length > 0);
    assert.deepEqual(leaksIn(found, { query: 'one' }, other).length > 0, true, 'a leak would be seen');
    assert.equal(await own.store.getBlob(other.ids.other[0] ?? ''), undefined);
  },
);
