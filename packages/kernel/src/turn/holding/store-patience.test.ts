import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFaults } from '@loom/stores/memory';
import type { AppendFault } from '@loom/stores/memory';
import type { LoomEngine } from '../../operations/calling/engine.ts';
import type { ProviderEvent } from '../../provider.ts';
import { passOn, StoreError } from '../../store.ts';
import type { Store } from '../../store.ts';
import { createWorld, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';

const words = ['The ', 'database ', 'was ', 'gone ', 'for ', 'a ', 'while.'];

/** Says the words one by one, each when it is told to. */
class SlowSpeaker {
  readonly id = 'scripted';
  readonly #waiting = words.map(() => Promise.withResolvers<void>());
  next = 0;

  say(): void {
    this.#waiting[this.next]?.resolve();
    this.next += 1;
  }

  async *stream(): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
    for (const [index, text] of words.entries()) {
      await this.#waiting[index]?.promise;
      yield { type: 'block-delta', key: 'a', field: 'text', text };
    }
    yield { type: 'block-end', key: 'a' };
    yield { type: 'call-end', reason: 'stop' };
  }
}

interface Run {
  world: World;
  process: LoomEngine;
  speaker: SlowSpeaker;
  turn: string;
  ended: Promise<string | undefined>;
}

/** Starts a turn in a process whose store is another one. */
async function startOn(store: (world: World) => Store): Promise<Run> {
  const world = await createWorld();
  const speaker = new SlowSpeaker();
  const process = world.another({ holder: 'speaker', store: store(world), providers: [speaker] });
  const params = { node: await world.say('go'), provider: 'scripted', model: 'one' };
  const started = await process.turns.generate({ agent: 'person', id: 'go' }, world.root, params);
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  const ended = process.turns.wait(turn);
  ended.catch(() => {});
  return { world, process, speaker, turn, ended };
}

/** Lets a word be said and the time pass in which it is written. */
async function sayOn({ world, speaker }: Run, milliseconds = 200): Promise<void> {
  speaker.say();
  await world.clock.advanceAndRest(milliseconds);
}

async function answerOf({ world, turn }: Run): Promise<string> {
  const nodes = [...(await world.state()).nodes.values()].filter((node) => node.turn === turn);
  return nodes.flatMap(({ blocks }) => blocks.map((block) => (block.type === 'text' ? block.text : block.type))).join();
}

/** The ids of the requests of a log's changes, in order. */
async function requestsOf({ world }: Run): Promise<string[]> {
  const { records = [] } = (await world.store.read(world.root, 0)) ?? {};
  return records.flatMap(({ text }) =>
    [...text.matchAll(/"request":"(?<id>[^"]*)"/gu)].map(({ groups }) => groups?.['id'] ?? ''),
  );
}

for (const fault of ['fail-before', 'fail-after'] as const) {
  test(`[TU171] words that the store fails at are written once and in order when it works again, ${fault}`, async () => {
    let failing: AppendFault | undefined;
    const run = await startOn((world) => withFaults(world.store.share(), () => failing));
    await sayOn(run);
    failing = fault;
    for (let word = 1; word < 5; word += 1) await sayOn(run, 1_500);
    failing = undefined;
    for (let word = 5; word < words.length; word += 1) await sayOn(run, 1_500);
    assert.equal(await run.ended, 'done');
    assert.equal(await answerOf(run), words.join(''));
    const requests = await requestsOf(run);
    assert.equal(new Set(requests).size, requests.length);
  });
}

test('[TU171] what else a turn asks of the store is asked again too: here the state that it goes on from', async () => {
  let isGone = false;
  const run = await startOn((world) => {
    const store = passOn(world.store.share());
    const gone = (): Promise<never> => Promise.reject(new StoreError('store-failed', 'gone', 'Wait.'));
    return {
      ...store,
      read: (...range) => (isGone ? gone() : store.read(...range)),
      append: (...request) => (isGone ? gone() : store.append(...request)),
    };
  });
  isGone = true;
  for (const _ of words) await sayOn(run, 1_000);
  assert.notEqual(await answerOf(run), words.join(''));
  isGone = false;
  await run.world.clock.advanceAndRest(2_000);
  assert.equal(await run.ended, 'done');
  assert.equal(await answerOf(run), words.join(''));
});

test('[TU172] when the lease has ended the turn stops with the failure, and is ended once the store works', async () => {
  let isGone = false;
  const run = await startOn((world) => {
    const store = passOn(withFaults(world.store.share(), () => (isGone ? 'fail-before' : undefined)));
    return {
      ...store,
      lease: (...request) =>
        isGone ? Promise.reject(new StoreError('store-failed', 'gone', 'Wait.')) : store.lease(...request),
    };
  });
  await sayOn(run);
  isGone = true;
  for (let word = 1; word < words.length; word += 1) await sayOn(run, 1_000);
  assert.equal(run.process.turns.running, 1, 'the lease still holds');
  for (let second = 0; second < 15; second += 1) await run.world.clock.advanceAndRest(1_000);
  await assert.rejects(run.ended, { code: 'store-failed' });
  assert.equal(run.process.turns.running, 0);
  isGone = false;
  for (let second = 0; second < 3; second += 1) await run.world.clock.advanceAndRest(1_000);
  await until(async () => (await run.world.state()).liveTurns.size === 0);
  const { turns } = await run.world.state();
  assert.equal(turns.get(run.turn)?.ended?.reason, 'interrupted');
  assert.equal(await answerOf(run), words[0]);
});

test('[TU172] a store that takes leases and no appends ends the turn as well', async () => {
  let isFailing = false;
  const run = await startOn((world) => withFaults(world.store.share(), () => (isFailing ? 'fail-before' : undefined)));
  await sayOn(run);
  isFailing = true;
  for (let second = 0; second < 20; second += 1) await sayOn(run, 1_000);
  await assert.rejects(run.ended, { code: 'store-failed' });
});

test('[TU172] damage is not waited out, and an abort waits less than a second', async () => {
  let code: 'store-corrupt' | 'store-failed' | undefined;
  const broken = (world: World): Store => {
    const store = passOn(world.store.share());
    return {
      ...store,
      append: (...request) =>
        code === undefined ? store.append(...request) : Promise.reject(new StoreError(code, 'broken', 'Look.')),
    };
  };
  const damaged = await startOn(broken);
  await sayOn(damaged);
  code = 'store-corrupt';
  await sayOn(damaged);
  await sayOn(damaged);
  await assert.rejects(damaged.ended, { code: 'store-corrupt' });
  code = undefined;
  const stopped = await startOn(broken);
  await sayOn(stopped);
  code = 'store-failed';
  await sayOn(stopped);
  const abort = stopped.process.turns.abort({ agent: 'person', id: 'stop' }, stopped.world.root, stopped.turn);
  abort.catch(() => {});
  await stopped.world.clock.advanceAndRest(900);
  await assert.rejects(abort, { code: 'store-failed' });
  // The time that its provider is given to tidy up.
  await stopped.world.clock.advanceAndRest(1_000);
  assert.equal(await stopped.ended, 'stopped');
});
