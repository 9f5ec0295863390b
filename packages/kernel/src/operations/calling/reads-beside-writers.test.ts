import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { tellTried } from '@loom/blocks/testing';
import { z } from 'zod';
import type { LoomEngine } from './engine.ts';
import { rootId } from '../../forest/ids.ts';
import { passOn } from '../../store.ts';
import type { Store } from '../../store.ts';
import { generateParams } from '../../testing/operation-params.ts';
import { Random } from '../../testing/random.ts';
import type { VirtualClock } from '../../testing/virtual-clock.ts';
import { createWorld } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import { defineOperation } from '../operation.ts';
import type { Caller, Operation } from '../operation.ts';

import { kernelOperations } from '../table.ts';

const rows: readonly Operation[] = kernelOperations;
const reading = rows.filter(({ effect }) => effect === 'reads');

test('[OP60] every row that reads answers from what is committed while an append is held open', async (t) => {
  const scene = await createScene();
  const { engine, world, hold, block } = scene;
  const questions = reading.map((row) => ({ row, params: paramsFor(scene, row) }));
  const before: unknown[] = [];
  for (const { row, params } of questions) before.push(await ask(engine, row, params));
  assert.ok(before.filter((answer) => isOk(answer)).length > reading.length / 2, 'most of them answer something');
  const held = hold();
  const appending = engine.call('block.append', caller, { block_id: block, text: ' and more' });
  await held.begun;
  // A question asked in turn with the writer does wait: the append is really held.
  assert.equal(await settled(world.clock, engine.forest.log(world.root).state()), undefined);
  for (const [index, { row, params }] of questions.entries()) {
    const answer = await settled(world.clock, ask(engine, row, params));
    assert.ok(answer !== undefined, `${row.name} waits for the writer`);
    assert.deepEqual(answer.value, before[index], row.name);
  }
  tellTried(t, questions.length, 'rows that read');
  held.release();
  assert.ok((await appending).ok);
  const { value: read } = await ask(engine, rowNamed('block.read'), { block_id: block, line_numbers: false });
  assert.match(JSON.stringify(read), /and more/u);
});

test('[OP60] the rows find a planted fault: a row that asks for the state in turn with writers', async () => {
  const waiting = defineOperation({
    name: 'root.look',
    summary: 'Counts the nodes of a conversation.',
    params: () => z.strictObject({ root: rootId }),
    result: () => z.int(),
    refusals: [],
    effect: 'reads',
    run: async (engine, _caller, { root }) => ({ ok: true, value: (await engine.forest.log(root).state()).nodes.size }),
  });
  const { engine, world, hold, block } = await createScene([waiting]);
  const held = hold();
  const appending = engine.call('block.append', caller, { block_id: block, text: ' and more' });
  await held.begun;
  assert.equal(await settled(world.clock, ask(engine, waiting, { root: world.root })), undefined);
  held.release();
  assert.ok((await appending).ok);
});

test('[OP60] readers beside a held append see every append before it, in a state that they share', async () => {
  const { engine, world, hold, block } = await createScene();
  const log = engine.forest.log(world.root);
  const text = async (): Promise<string> => {
    const seen = await settled(
      world.clock,
      log.read((state) => JSON.stringify(state.block(block))),
    );
    assert.ok(seen);
    return seen.value.value;
  };
  let loads = 0;
  const newest = log.past.newest.bind(log.past);
  log.past.newest = () => {
    loads += 1;
    return newest();
  };
  for (const word of ['red', 'green', 'blue']) {
    const held = hold();
    const appending = engine.call('block.append', { ...caller, id: word }, { block_id: block, text: ` ${word}` });
    await held.begun;
    assert.doesNotMatch(await text(), new RegExp(word, 'u'));
    held.release();
    await appending;
    assert.match(await text(), new RegExp(word, 'u'));
  }
  assert.equal(loads, 1, 'a state for readers is made once, and follows the log');
});

test('[OP60] a reader that meets an append gets the writer’s state as soon as that is durable', async () => {
  const { engine, world, hold, block } = await createScene();
  const log = engine.forest.log(world.root);
  log.past.newest = () => assert.fail('no other state is made');
  const held = hold();
  const appending = engine.call('block.append', caller, { block_id: block, text: ' at last' });
  await held.begun;
  const reading = log.read((state) => JSON.stringify(state.block(block)));
  held.release();
  assert.match((await reading).value, /at last/u);
  assert.ok((await appending).ok);
});

test('[OP60] a failed append leaves readers with what is committed', async () => {
  const { engine, world, hold, block } = await createScene();
  const held = hold();
  const appending = engine.call('block.append', caller, { block_id: block, text: ' never' });
  await held.begun;
  const reading = engine.forest.log(world.root).read((state) => JSON.stringify(state.block(block)));
  held.fail(new Error('the disk is full'));
  await assert.rejects(appending, /the disk is full/u);
  assert.doesNotMatch((await reading).value, /never/u);
});

test('[OP60] lists that were asked for while an append was held open show it once it is durable', async () => {
  const { engine, world, hold } = await createScene();
  const count = async (name: 'root.list' | 'project.list'): Promise<unknown> => {
    const asked = ask(engine, rowNamed(name), { archived: 'only', text: '', counts: true });
    const answer = await settled(world.clock, asked);
    return /"matching":(\d+)/u.exec(JSON.stringify(answer))?.[1];
  };
  for (const name of ['root.list', 'project.list'] as const) {
    for (const archived of [true, false]) {
      const [before, after] = archived ? ['0', '1'] : ['1', '0'];
      const held = hold();
      const marking = engine.call(
        'root.mark',
        { ...caller, id: `${name} ${archived}` },
        { root: world.root, archived },
      );
      await held.begun;
      assert.equal(await count(name), before, `${name} while it is held`);
      held.release();
      assert.ok((await marking).ok);
      assert.equal(await count(name), after, `${name} afterwards`);
    }
  }
});

const caller: Caller = { agent: 'person', type: 'person', role: 'owner', door: 'library', id: 'reader' };

interface Scene {
  world: World;
  engine: LoomEngine;
  node: string;
  block: string;
  turn: string;
  /** Holds the next append to the conversation until it is released. */
  hold: () => { begun: Promise<void>; release: () => void; fail: (error: Error) => void };
}

async function createScene(operations: readonly Operation[] = []): Promise<Scene> {
  const world = await createWorld([
    [
      { type: 'call-start' },
      { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'An answer' } },
      { type: 'call-end', reason: 'stop' },
    ],
  ]);
  let gate: { begun: () => void; open: Promise<void> } | undefined;
  const store: Store = {
    ...passOn(world.store),
    append: async (log, request) => {
      const closed = log === world.root ? gate : undefined;
      gate = closed === undefined ? gate : undefined;
      closed?.begun();
      await closed?.open;
      return world.store.append(log, request);
    },
  };
  const engine = world.another({ store, operations });
  const said = await engine.call('node.append', { ...caller, id: 'said' }, sayAt(world.root));
  assert.ok(said.ok);
  const node = said.value.nodes[0] ?? '';
  const answered = await engine.call(
    'turn.start',
    { ...caller, id: 'asked' },
    { node, provider: 'scripted', model: 'one' },
  );
  assert.ok(answered.ok);
  const [turn = ''] = answered.value.turns;
  await engine.turns.wait(turn);
  const made = await engine.call(
    'block.create',
    { ...caller, id: 'made' },
    { parent_id: world.root, role: 'user', kind: 'text' },
  );
  assert.ok(made.ok);
  const { block_id: block } = made.value;
  // From then on it has a document, which some rows have to build.
  const edits = [
    { offset: 0, delete_count: 0, insert: 'one\ntwo' },
    { offset: 0, delete_count: 0, insert: 'zero\n' },
  ];
  for (const [index, edit] of edits.entries()) {
    assert.ok((await engine.call('block.splice', { ...caller, id: `edit-${index}` }, { block_id: block, ...edit })).ok);
  }
  const hold: Scene['hold'] = () => {
    const begun = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    open.promise.catch(() => {});
    gate = { begun: begun.resolve, open: open.promise };
    return { begun: begun.promise, release: open.resolve, fail: open.reject };
  };
  return { world, engine, node, block, turn, hold };
}

function sayAt(parent: string): {
  parent: string;
  messages: [{ role: 'user'; content: [{ type: 'text'; text: string }] }];
} {
  return { parent, messages: [{ role: 'user', content: [{ type: 'text', text: 'What is a loom?' }] }] };
}

/** Parameters that the row takes, about the conversation that is written to. */
function paramsFor({ world, node, block, turn }: Scene, row: Operation): Record<string, unknown> {
  const ids = { root: world.root, place: node, node, block };
  return generateParams(new Random(3), row.params, {
    id: (kind) => ids[kind],
    named: {
      turn: () => turn,
      pattern: () => 'one',
      query: () => 'one',
      version: () => 1,
      from: () => 1,
      to: () => 2,
      base_version: () => 1,
      after: () => undefined,
      kinds: () => ['text'],
      kind: () => 'text',
      provider: () => 'scripted',
      model: () => 'one',
      name: () => 'root.get',
    },
    text: () => 'one',
  });
}

async function ask(
  engine: LoomEngine,
  { name }: Operation,
  params: Record<string, unknown>,
): Promise<{ value: unknown }> {
  return { value: JSON.parse(JSON.stringify(await engine.call(name, { ...caller, id: `ask ${name}` }, params))) };
}

function isOk(answer: unknown): boolean {
  return JSON.stringify(answer).startsWith('{"value":{"ok":true');
}

function rowNamed(name: string): Operation {
  const row = rows.find((candidate) => candidate.name === name);
  assert.ok(row);
  return row;
}

/** Returns the value that a promise settles with while only time passes, or `undefined` if it waits for something else. */
async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<{ value: T } | undefined> {
  const results: { value: T }[] = [];
  void promise.then((value) => results.push({ value }));
  for (let turn = 0; turn < 50 && results.length === 0; turn += 1) {
    await clock.advanceAndRest(20);
    await setImmediate();
  }
  return results[0];
}
