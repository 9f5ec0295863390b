import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../store.ts';
import type { Store } from '../store.ts';
import type { LoomEngine } from './calling/engine.ts';
import type { Outcome } from '../refusal.ts';
import { generateParams } from '../testing/operation-params.ts';
import { Random } from '../testing/random.ts';
import { createWorld } from '../testing/world.ts';
import type { Caller, Door, Operation } from './operation.ts';
import { kernelOperations } from './table.ts';

const rows: readonly Operation[] = kernelOperations;
const rounds = 24;

/** A word in everything that is said and kept in the conversations that the caller may not use. */
const secret = 'zebra';

/** A forest of a conversation that a caller may use, one that it may not, and one that cannot be read either. */
interface Scene {
  engine: LoomEngine;
  random: Random;
  own: string;
  other: string;
  damaged: string;
  /** A turn of the other conversation, which is running. */
  turn: string;
  nextId: () => string;
}

async function createScene(): Promise<Scene> {
  const world = await createWorld([
    async function* goOn(_request, { signal }) {
      yield { type: 'call-start' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  ]);
  const nextId = (): string => world.ids.next();
  const lost = { root: '' };
  const engine = world.another({ store: withDamagedLog(world.store, lost) });
  const scene = { engine, random: new Random(7), own: world.root, nextId };
  const damaged = await begin({ ...scene }, secret);
  lost.root = damaged;
  const other = await begin(scene, secret);
  await say(scene, world.root, 'one\ntwo');
  const node = await say(scene, other, `one ${secret}`);
  await ask(engine, 'node.bookmark', { node, title: secret }, owner(scene));
  const started = await engine.call('turn.start', owner(scene), { node, provider: 'scripted', model: 'one' });
  assert.ok(started.ok);
  return { ...scene, other, damaged, turn: started.value.turns[0] ?? '' };
}

function withDamagedLog(store: Store, lost: { root: string }): Store {
  return new Proxy(store, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof part !== 'function') return part;
      return (...given: unknown[]): unknown => {
        if (key === 'read' && given[0] === lost.root && lost.root !== '')
          return Promise.reject(new StoreError('store-corrupt', `${secret} is damaged`, ''));
        return Reflect.apply(part, target, given);
      };
    },
  });
}

function owner({ nextId }: Pick<Scene, 'nextId'>): Caller {
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: nextId() };
}

/** Calls an operation whose parameters only its schema knows. */
function ask(engine: LoomEngine, name: string, params: unknown, caller: Caller): Promise<Outcome<unknown>> {
  return engine.call<string>(name, caller, params);
}

async function begin(scene: Pick<Scene, 'engine' | 'nextId'>, systemPrompt: string): Promise<string> {
  const created = await scene.engine.call('root.create', owner(scene), { config: { systemPrompt } });
  assert.ok(created.ok);
  const { root } = created.value;
  await ask(scene.engine, 'root.mark', { root, title: secret, tags: [secret] }, owner(scene));
  return root;
}

async function say(scene: Pick<Scene, 'engine' | 'nextId'>, parent: string, text: string): Promise<string> {
  const messages = [{ role: 'user' as const, content: text }];
  const said = await scene.engine.call('node.append', owner(scene), { parent, messages });
  assert.ok(said.ok);
  return said.value.nodes[0] ?? '';
}

/** Parameters with ids of these conversations, and words that would find something in all of them. */
async function paramsFor(scene: Scene, row: Operation, roots: readonly string[]): Promise<Record<string, unknown>> {
  const { engine, random, own, other, turn } = scene;
  const ends: Record<string, string[]> = { root: [], node: [], block: [] };
  for (const root of roots) {
    const state = await engine.forest.stateUnlessDamaged(root);
    ends['root']?.push(root);
    ends['node']?.push(...(state?.nodes.keys() ?? [`${root}/node-1`]));
    ends['block']?.push(...(state?.nodeOfBlock.keys() ?? [`${root}/@person/1`]));
  }
  const id = (kind: string): string => random.pick(ends[kind] ?? []) ?? own;
  const ownTurns = [...((await engine.forest.stateUnlessDamaged(own))?.turns.values() ?? [])];
  return generateParams(random, row.params, {
    id: (kind) => (kind === 'place' ? id(random.chance(0.3) ? 'root' : 'node') : id(kind)),
    named: {
      provider: () => 'scripted',
      turn: () => random.pick([turn, ownTurns.find(({ ended }) => ended !== undefined)?.id ?? turn]),
      messages: () => [{ role: 'user', content: 'more' }],
      operations: () => [{ op: 'insert', line: 0, content: 'more' }],
      query: () => random.pick([secret, 'one', 'o.e']),
      name: () => random.pick(rows)?.name,
      kind: () => 'text',
      kinds: () => ['text'],
      after: () => random.pick([other, id('node'), '0']),
      n: () => 1,
    },
    // A text that it would write itself is not secret.
    text: () => random.pick(row.effect === 'reads' ? [other, other.slice(-4), 'node-1', secret, 'one'] : ['one']) ?? '',
  });
}

/**
 * Returns the texts in an answer that concern conversations the caller may not use: everything except those it named itself.
 */
function leaksIn(outcome: Outcome<unknown>, params: unknown, { other, damaged, turn }: Scene): string[] {
  const given = stringsIn(params);
  const isSecret = (text: string): boolean => [other, damaged, turn, secret].some((part) => text.includes(part));
  return [...stringsIn(outcome)].filter((text) => isSecret(text) && ![...given].some((known) => known.includes(text)));
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

/** Returns everything that a caller could have changed in the conversations that it may not use. */
async function stateOfOthers({ engine, own, other, turn }: Scene): Promise<unknown> {
  const state = await engine.forest.log(other).state();
  const roots = (await engine.forest.roots()).filter((root) => root !== own);
  const running = await Promise.race([engine.turns.wait(turn), setImmediate('running')]);
  return { roots, seq: state.seq, deleted: state.deleted, running };
}

test('[OP12] a caller with one conversation neither learns of another one nor changes it, whatever row it calls', async () => {
  const scene = await createScene();
  const { engine, own, other, damaged, nextId } = scene;
  const by = (): Caller => ({ ...owner(scene), agent: 'guest', role: 'owner', roots: [own], id: nextId() });
  const before = await stateOfOthers(scene);
  const refused = new Set<string>();
  const aims = [[own], [other], [own, other, damaged]];
  for (let round = 0; round < rounds; round += 1) {
    for (const row of rows) {
      const params = await paramsFor(scene, row, aims[round % aims.length] ?? []);
      const outcome = await ask(engine, row.name, params, by());
      assert.deepEqual(leaksIn(outcome, params, scene), [], `${row.name} ${JSON.stringify(params)}`);
      if (!outcome.ok && outcome.refusal.reason === 'not-permitted') refused.add(row.name);
    }
  }
  assert.deepEqual(await stateOfOthers(scene), before);
  const mayStayUnrefused = rows.filter(({ effect }) => effect === 'reads').map(({ name }) => name);
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !refused.has(name) && !mayStayUnrefused.includes(name)),
    [],
  );
});

test('[OP12] what a caller with one conversation reads does not depend on the others', async () => {
  const scene = await createScene();
  const { engine, own, other, damaged } = scene;
  const guest = { ...owner(scene), agent: 'guest', roots: [own] };
  for (let round = 0; round < 4; round += 1) {
    const asked: [name: string, params: unknown, outcome: Outcome<unknown>][] = [];
    for (const row of rows.filter(({ effect }) => effect === 'reads')) {
      const params = await paramsFor(scene, row, [own, other, damaged]);
      asked.push([row.name, params, await ask(engine, row.name, params, guest)]);
    }
    const node = await say(scene, other, `one more ${secret} ${round}`);
    await ask(engine, 'node.remove', { node }, owner(scene));
    await say(scene, await begin(scene, `${secret} ${round}`), 'one');
    for (const [name, params, outcome] of asked)
      assert.deepEqual(await ask(engine, name, params, guest), outcome, `${name} ${JSON.stringify(params)}`);
  }
});

test('[OP3] a role that is too low, and a door that a row does not name, are refused by every row', async () => {
  const scene = await createScene();
  const { engine, own, other } = scene;
  const doors: readonly Door[] = ['library', 'command', 'http', 'mcp', 'model'];
  const before = [(await engine.forest.log(own).state()).seq, await stateOfOthers(scene)];
  const permitted: string[] = [];
  for (const row of rows) {
    const callers = [
      ...(row.role === 'reader' ? [] : [{ ...owner(scene), role: 'reader' as const }]),
      ...doors.filter((door) => !row.doors.includes(door)).map((door) => ({ ...owner(scene), door })),
    ];
    for (const caller of callers) {
      for (let round = 0; round < 3; round += 1) {
        const params = await paramsFor(scene, row, [own, other]);
        const outcome = await ask(engine, row.name, params, caller);
        const reason = outcome.ok ? 'done' : outcome.refusal.reason;
        if (reason !== 'not-permitted' && reason !== 'invalid-params') permitted.push(`${row.name} ${caller.door}`);
      }
    }
  }
  assert.deepEqual(permitted, []);
  assert.deepEqual([(await engine.forest.log(own).state()).seq, await stateOfOthers(scene)], before);
});

test('[OP12] a caller with some conversations is not offered what makes one, or keeps something beside them', async () => {
  const scene = await createScene();
  const listed = await scene.engine.call('operation.list', { ...owner(scene), roots: [scene.own] }, {});
  assert.ok(listed.ok);
  const names = new Set(listed.value.items.map(({ name }) => name));
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !names.has(name)),
    ['root.create', 'root.find_or_create', 'home.set'],
  );
});
