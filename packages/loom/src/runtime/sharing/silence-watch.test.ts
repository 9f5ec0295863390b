import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { SilenceWatch } from './silence-watch.ts';

const never = (): Promise<never> => new Promise(() => {});

function watch(probe: () => Promise<unknown>, pid = 4711) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const find = (): Promise<{ pid: number; holder: string }> => Promise.resolve({ pid, holder: 'process' });
  const silence = new SilenceWatch({ dataDir: '/data', note: (text) => told.push(text), clock, find, probe });
  return { clock, told, silence };
}

test('[LK9] a process that gives no sign of life for five seconds is named, once, with what to do', async () => {
  const { clock, told, silence } = watch(never);
  void silence.during(never);
  await clock.advanceAndRest(4999);
  assert.deepEqual(told, []);
  await clock.advanceAndRest(1);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /Process 4711 .*\n.*kill -CONT 4711.*kill -9 4711/u);
  await clock.advanceAndRest(600_000);
  assert.equal(told.length, 1);
});

test('[LK9] a process that is busy answers the probe, and is not named; one that falls silent later is', async () => {
  let isAwake = true;
  const { clock, told, silence } = watch(() => (isAwake ? Promise.resolve() : never()));
  const end = silence.begin();
  await clock.advanceAndRest(60_000);
  assert.deepEqual(told, []);
  isAwake = false;
  await clock.advanceAndRest(10_000);
  assert.equal(told.length, 1);
  end();
});

test('[LK9] nothing is asked once the answer has come, and this process is not named to itself', async () => {
  const answered = watch(() => assert.fail('nothing is waited for'));
  const done = Promise.withResolvers<string>();
  const request = answered.silence.during(() => done.promise);
  await answered.clock.advanceAndRest(3000);
  done.resolve('answer');
  assert.equal(await request, 'answer');
  await answered.clock.advanceAndRest(60_000);
  const own = watch(never, process.pid);
  own.silence.begin();
  await own.clock.advanceAndRest(60_000);
  assert.deepEqual([...answered.told, ...own.told], []);
});
