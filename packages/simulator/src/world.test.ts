import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Coverage } from './coverage.ts';
import { Random } from '@loom/kernel/testing';
import { Scheduler } from './scheduler.ts';
import { World } from './world.ts';

test('[SM2] nothing of a process that died is ever written, whatever it was about to do', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const world = new World(new Random(seed), {});
    await world.begin();
    const [doomed, other] = [world.start('one'), world.start('two')];
    const node = `${world.root}/node-1`;
    const params = { node, provider: 'fake', model: 'model' };
    doomed.engine.turns.generate({ agent: 'person', id: 'g' }, world.root, params).catch(() => {});
    for (let step = 0; step < seed; step += 1) {
      await world.scheduler.settle();
      world.scheduler.resumeOne();
    }
    await world.scheduler.settle();
    world.crash(doomed);
    const { seq } = world.monitor.state;
    doomed.engine.forest
      .log(world.root)
      .state()
      .catch(() => {});
    // The other process keeps watch for good.
    const end = world.scheduler.now + 60_000;
    do await world.scheduler.settle();
    while (world.scheduler.resumeOne() || (world.scheduler.now < end && world.scheduler.ringOne()));
    assert.equal(world.monitor.state.seq, seq);
    assert.deepEqual(world.violations, []);
    assert.ok(other.isAlive);
  }
});

test("[SM3] time is the scheduler's alone: timers ring in the order of their time, those of the frozen do not", () => {
  const scheduler = new Scheduler(new Random(1));
  const [awake, frozen] = [{ isFrozen: false }, { isFrozen: true }];
  const rung: string[] = [];
  const start = scheduler.now;
  scheduler.after(awake, 200, () => rung.push('late'));
  scheduler.after(awake, 100, () => rung.push('early'));
  scheduler.after(frozen, 50, () => rung.push('frozen'));
  const cancel = scheduler.after(awake, 10, () => rung.push('cancelled'));
  cancel();
  assert.ok(scheduler.ringOne());
  assert.deepEqual([rung, scheduler.now - start], [['early'], 100]);
  scheduler.pass(1000);
  assert.deepEqual([rung, scheduler.now - start], [['early', 'late'], 1100]);
  assert.ok(!scheduler.ringOne());
});

test('[SM3] one turn of the event loop settles every promise that can be settled', async () => {
  const scheduler = new Scheduler(new Random(1));
  let depth = 0;
  const dig = async (): Promise<void> => {
    for (; depth < 10_000; depth += 1) await Promise.resolve();
  };
  void dig();
  await scheduler.settle();
  assert.equal(depth, 10_000);
});

test("[SM3] which process goes on next is the seed's choice, and frozen and killed ones are never chosen", async () => {
  const orders = [1, 2, 3, 4].map(async (seed) => {
    const scheduler = new Scheduler(new Random(seed));
    const order: number[] = [];
    const [dead, frozen] = [{ isFrozen: false }, { isFrozen: true }];
    for (let waiter = 0; waiter < 6; waiter += 1) {
      void scheduler.pause({ isFrozen: false }).then(() => order.push(waiter));
    }
    for (const waiter of [dead, frozen]) void scheduler.pause(waiter).then(() => order.push(-1));
    scheduler.drop(dead);
    while (scheduler.resumeOne()) await scheduler.settle();
    return order.join('');
  });
  const seen = await Promise.all(orders);
  assert.equal(new Set(seen).size, 4);
  assert.ok(seen.every((order) => order.length === 6 && !order.includes('-')));
});

test('[SM6] coverage counts ordered pairs of actions on one turn, and names the pairs that are missing', () => {
  const [coverage, other] = [new Coverage(), new Coverage()];
  for (const action of ['abort', 'crash', 'crash'] as const) coverage.hit('turn-1', action);
  coverage.hit('turn-2', 'steer');
  other.hit('turn-1', 'crash');
  other.hit('turn-1', 'abort');
  assert.equal(coverage.count('abort', 'crash'), 2);
  assert.equal(coverage.count('crash', 'abort'), 0);
  coverage.merge(other);
  assert.equal(coverage.count('crash', 'abort'), 1);
  assert.equal(coverage.missing().length, 56 - 2);
  assert.ok(coverage.missing().includes('abort then steer'));
});
