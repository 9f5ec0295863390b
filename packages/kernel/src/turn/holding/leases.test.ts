import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '../../provider.ts';
import type { LoomEngine } from '../../operations/calling/engine.ts';
import { passOn, StoreError } from '../../store.ts';
import { say, ScriptedProvider } from '../../testing/scripted-provider.ts';
import { createWorld, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import { rest, VirtualClock } from '../../testing/virtual-clock.ts';

/** Begins to speak, and waits. */
async function* halfAnAnswer(signal: AbortSignal): AsyncGenerator<ProviderEvent> {
  yield { type: 'call-start' };
  yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
  yield { type: 'block-delta', key: 'a', field: 'text', text: 'half' };
  await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}

/** Starts a process whose turn never ends unless it is stopped, and that is gone when its clock is stopped. */
function mortal(world: World): { process: LoomEngine; die: () => void } {
  const clock = new VirtualClock(world.clock.now());
  const provider = {
    id: 'scripted',
    stream: (_: unknown, { signal }: { signal: AbortSignal }) => halfAnAnswer(signal),
  };
  const process = world.another({ holder: 'mortal', clock, providers: [provider] });
  return { process, die: () => clock.stop() };
}

async function startTurn(world: World, process: LoomEngine): Promise<string> {
  const params = { node: await world.say('go'), provider: 'scripted', model: 'one' };
  const started = await process.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  // The turn has written something, so that there is something to interrupt.
  await until(async () => [...(await world.state()).nodes.values()].some(({ turn: by }) => by === turn));
  return turn;
}

test('[TU53] a process that had the conversation open before the turn began ends it when its process is gone', async () => {
  const world = await createWorld();
  assert.ok((await world.engine.open(world.root)).ok);
  const { process, die } = mortal(world);
  const turn = await startTurn(world, process);
  die();
  await world.clock.advanceAndRest(10_000);
  assert.equal((await world.state()).turns.get(turn)?.ended, undefined, 'its lease still holds');
  await world.clock.advanceAndRest(20_000);
  await until(async () => (await world.state()).liveTurns.size === 0);
  assert.deepEqual(await world.store.leases(''), []);
});

test('[TU170] a turn that begins at the moment of the end is not run, whichever moment that is', async () => {
  let running = 0;
  for (let steps = 0; steps < 60; steps += 1) {
    const world = await createWorld();
    const { process } = mortal(world);
    const params = { node: await world.say('go'), provider: 'scripted', model: 'one' };
    const started = process.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
    started.catch(() => {});
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    await process.close();
    await started.catch(() => {});
    // It would speak, and renew its lease, until the process is killed.
    running += await Promise.race([process.turns.idle().then(() => 0), rest().then(() => 1)]);
  }
  assert.equal(running, 0);
});

test('[TU53] nor need it ever have opened the conversation', async () => {
  const world = await createWorld();
  const other = await world.engine.forest.createRoot({ agent: 'person', id: 'other' }, {});
  assert.ok(other.ok);
  const { process, die } = mortal(world);
  await startTurn(world, process);
  const heir = world.another({ holder: 'heir' });
  assert.ok((await heir.open(other.value.root)).ok);
  die();
  await world.clock.advanceAndRest(40_000);
  await until(async () => (await world.state()).liveTurns.size === 0);
  assert.deepEqual(await world.store.leases(''), []);
});

test('[TU53] a conversation that cannot be read keeps none of the others from being ended', async () => {
  const world = await createWorld();
  const { process, die } = mortal(world);
  await startTurn(world, process);
  const damaged = await world.engine.forest.createRoot({ agent: 'person', id: 'damaged' }, {});
  assert.ok(damaged.ok);
  const key = `turn/${damaged.value.root}/turn-1`;
  await world.store.lease(key, 'gone', 1);
  await world.store.lease('turn/turn-of-an-older-version', 'gone', 1);
  const store = passOn(world.store);
  const heir = world.another({
    holder: 'heir',
    store: {
      ...store,
      read: (log, ...range) =>
        log === damaged.value.root
          ? Promise.reject(new StoreError('store-corrupt', 'no', 'no'))
          : store.read(log, ...range),
    },
  });
  const other = await heir.forest.createRoot({ agent: 'person', id: 'other' }, {});
  assert.ok(other.ok && (await heir.open(other.value.root)).ok);
  die();
  await world.clock.advanceAndRest(60_000);
  await until(async () => (await world.state()).liveTurns.size === 0);
  assert.deepEqual(
    (await world.store.leases('')).map((lease) => lease.key),
    [key],
  );
});

test('[TU58] a renewal that fails is tried again for as long as the lease holds, and then its process stops', async () => {
  const world = await createWorld();
  let isBroken = false;
  const store = passOn(world.store);
  const clock = new VirtualClock(world.clock.now());
  const provider = {
    id: 'scripted',
    stream: (_: unknown, { signal }: { signal: AbortSignal }) => halfAnAnswer(signal),
  };
  const process = world.another({
    holder: 'shaky',
    clock,
    providers: [provider],
    store: {
      ...store,
      lease: (...request) =>
        isBroken ? Promise.reject(new StoreError('store-failed', 'no', 'no')) : store.lease(...request),
    },
  });
  const pass = async (milliseconds: number): Promise<void> => {
    world.clock.advance(milliseconds);
    await clock.advanceAndRest(milliseconds);
    await rest();
  };
  const turn = await startTurn(world, process);
  let how: string | undefined;
  void process.turns.wait(turn).then((ended) => (how = ended));
  isBroken = true;
  // The first renewal is due after five seconds, so the lease is nearly over when the store is back.
  for (let second = 0; second < 13; second += 1) await pass(1_000);
  isBroken = false;
  for (let second = 0; second < 20; second += 1) await pass(1_000);
  assert.equal(how, undefined);
  assert.equal((await world.store.leases(''))[0]?.holder, 'shaky');
  isBroken = true;
  for (let second = 0; second < 16; second += 1) await pass(1_000);
  await until(() => how === 'stopped');
});

test('[TU173] a process that has opened nothing ends the turn of one that is killed within 20 seconds, whenever it looks', async () => {
  for (const [killedAfter, chance] of [
    [0, 0],
    [1_700, 0.999],
    [3_000, 0.5],
    [4_900, 0.999],
    [9_900, 0.2],
  ] as const) {
    const world = await createWorld();
    const { process, die } = mortal(world);
    const heirs = ['heir', 'other'].map((holder) => world.another({ holder, random: () => chance }));
    for (const heir of heirs) heir.keepWatch();
    await startTurn(world, process);
    await world.clock.advanceAndRest(killedAfter);
    die();
    await world.clock.advanceAndRest(20_000);
    await until(async () => (await world.state()).liveTurns.size === 0);
    assert.deepEqual(await world.store.leases(''), []);
    for (const heir of heirs) await heir.close();
  }
});

test('[TU173] processes that keep watch look at most every ten seconds, and no longer once they are closed', async () => {
  const world = await createWorld();
  let looks = 0;
  const store = passOn(world.store);
  const counting = { ...store, leases: (prefix: string) => ((looks += 1), store.leases(prefix)) };
  const heir = world.another({ holder: 'heir', store: counting });
  heir.keepWatch();
  heir.keepWatch();
  await world.clock.advanceAndRest(60_000);
  assert.equal(looks, 6);
  await heir.close();
  await world.clock.advanceAndRest(60_000);
  assert.equal(looks, 6);
});

test('[TU174] a message that waited for a turn whose process is killed is answered by another one, and once', async () => {
  const world = await createWorld();
  const { process, die } = mortal(world);
  const turn = await startTurn(world, process);
  const blocks = [{ type: 'text' as const, text: 'And then?' }];
  const queued = await process.turns.queue({ agent: 'person', id: 'queue' }, world.root, turn, blocks);
  assert.ok(queued.ok);
  const heirs = ['heir', 'other', 'third'].map((holder) =>
    world.another({ holder, providers: [new ScriptedProvider(say('the answer'))] }),
  );
  for (const heir of heirs) heir.keepWatch();
  die();
  await world.clock.advanceAndRest(20_000);
  await until(async () => {
    const { liveTurns, turns } = await world.state();
    return liveTurns.size === 0 && turns.size === 2;
  });
  await Promise.all(heirs.map((heir) => heir.turns.idle()));
  const said = (await world.nodes()).map(({ role, blocks: words }) => [
    role,
    ...words.map((block) => 'text' in block && block.text),
  ]);
  assert.deepEqual(said, [
    ['user', 'go'],
    ['assistant', ''],
    ['user', 'And then?'],
    ['assistant', 'the answer'],
  ]);
  const { waiting, turns } = await world.state();
  assert.equal(waiting.size, 0);
  assert.deepEqual(
    [...turns.values()].map(({ ended }) => ended?.reason),
    ['interrupted', 'done'],
  );
});

test('[TU174] it is placed and its answer begun in one change: no moment is left in which it is said and never answered', async () => {
  const world = await createWorld();
  const { process, die } = mortal(world);
  const turn = await startTurn(world, process);
  const blocks = [{ type: 'text' as const, text: 'And then?' }];
  assert.ok((await process.turns.queue({ agent: 'person', id: 'queue' }, world.root, turn, blocks)).ok);
  const heir = world.another({ holder: 'heir', providers: [new ScriptedProvider(say('the answer'))] });
  heir.keepWatch();
  die();
  await world.clock.advanceAndRest(20_000);
  await until(async () => (await world.state()).waiting.size === 0);
  const { records = [] } = (await world.store.read(world.root, 0)) ?? {};
  const placing = records.filter(({ text }) => text.includes('message-taken'));
  assert.equal(placing.length, 1);
  assert.match(placing[0]?.text ?? '', /turn-started/u);
  await heir.close();
});
