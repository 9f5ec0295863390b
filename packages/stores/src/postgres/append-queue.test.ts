import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { AppendQueue } from './append-queue.ts';
import type { AppendOutcome, WaitingAppend } from './append-batch.ts';

const done: AppendOutcome = { isDone: true, end: undefined };

function appendTo(log: string, expectedSeq = 0): WaitingAppend {
  return { log, request: { epoch: 'e', expectedSeq, records: [{ seq: expectedSeq + 1, text: '' }] }, fresh: '' };
}

test('[PG2] appends of one tick share a statement, and of one log there is one in each, in order', async () => {
  const batches: string[][] = [];
  const queue = new AppendQueue(async (appends) => {
    batches.push(appends.map(({ log, request }) => `${log}${request.expectedSeq}`));
    await new Promise((resolve) => setImmediate(resolve));
    return appends.map(() => done);
  }, 2);
  const appends = ['a', 'b', 'a', 'c', 'a', 'b'].map((log, index) => queue.submit(appendTo(log, index), 1));
  await Promise.all(appends);
  assert.deepEqual(batches, [['a0', 'b1', 'c3'], ['a2', 'b5'], ['a4']]);
});

test('[PG2] while statements are under way the appends to other logs gather for the next one', async () => {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const queue = new AppendQueue(async (appends) => {
    batches.push(appends.map(({ log }) => log));
    await new Promise<void>((resolve) => ends.push(resolve));
    return appends.map(() => done);
  }, 1);
  const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  const appends = [queue.submit(appendTo('a'), 1)];
  while (batches.length === 0) await tick();
  for (const log of ['b', 'c', 'd']) {
    appends.push(queue.submit(appendTo(log), 1));
    await tick();
  }
  ends[0]?.();
  while (ends.length < 2) await tick();
  ends[1]?.();
  await Promise.all(appends);
  assert.deepEqual(batches, [['a'], ['b', 'c', 'd']]);
});

test('[PG2] large appends do not share one statement without end', async () => {
  const sizes: number[] = [];
  const queue = new AppendQueue(async (appends) => {
    sizes.push(appends.length);
    return appends.map(() => done);
  }, 1);
  await Promise.all(Array.from({ length: 10 }, (_, index) => queue.submit(appendTo(`${index}`), 1_500_000)));
  assert.deepEqual(sizes, [2, 2, 2, 2, 2]);
});

test('[PG13] the damage of one log fails its own append, and not those that shared its statement', async () => {
  const queue = new AppendQueue(async (appends) => {
    if (appends.some(({ log }) => log === 'bad')) throw new StoreError('store-corrupt', 'damaged', '');
    return appends.map(() => done);
  }, 1);
  const results = await Promise.allSettled(['a', 'bad', 'b'].map((log) => queue.submit(appendTo(log), 1)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
