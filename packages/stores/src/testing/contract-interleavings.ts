import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppendRequest, AppendResult, LogRecord, Store } from '@loom/kernel/store';
import * as fc from 'fast-check';
import type { StoreKind } from './contract.ts';
import { begin, request, texts, Writer } from './writer.ts';

/** Tests several writers: which one wins, and that nothing is lost or doubled. */
export function testInterleavings({ name, capabilities, create, runs = 40 }: StoreKind): void {
  const needsShared = capabilities.shared ? false : 'not shared: one handle at a time';

  test(`[ST12] ${name}: of several writers that begin one log exactly one wins, and the others get its records`, async (t) => {
    const store = await create(t).open();
    const results = await Promise.all(
      ['x', 'y', 'z'].map((text) => store.append('a', request(undefined, 0, [`${text}1`, `${text}2`]))),
    );
    assertOneBegan(results, await store.read('a', 0));
  });

  test(`[ST12] ${name}: the same with two handles`, { skip: needsShared }, async (t) => {
    const data = create(t);
    const handles = [await data.open(), await data.open()];
    for (const log of ['a', 'b', 'c']) {
      const results = await Promise.all(
        handles.map((store, index) => store.append(log, request(undefined, 0, [`${index}1`, `${index}2`]))),
      );
      assertOneBegan(results, await handles[0]?.read(log, 0));
    }
  });

  test(`[ST13] ${name}: an append of several records is there as a whole or not at all`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['start']);
    const batches = Array.from({ length: 20 }, (_, index) => ['1', '2', '3'].map((part) => `${index}.${part}`));
    const results = batches.map((batch) => store.append('a', request(epoch, 1, batch)));
    const seen: number[] = [];
    const readers = Array.from({ length: 20 }, async () => {
      seen.push((await store.read('a', 0))?.records.length ?? 0);
    });
    const accepted = (await Promise.all(results)).flatMap((result, index) => (result.ok ? [batches[index]] : []));
    await Promise.all(readers);
    assert.deepEqual(await texts(store, 'a'), ['start', ...accepted.flat()]);
    assert.equal(accepted.length, 1);
    assert.deepEqual(
      seen.filter((length) => length !== 1 && length !== 4),
      [],
    );
  });

  test(`[ST14] ${name}: 50 writers of one log lose nothing, double nothing, and each append is acknowledged once`, async (t) => {
    const data = create(t);
    const handles = [await data.open()];
    if (capabilities.shared) handles.push(await data.open());
    await appendFromAll(handles, 50, (writer) => ['a', `writer ${writer}`]);
  });

  test(`[ST14] ${name}: so do 50 writers of 50 logs`, async (t) => {
    const store = await create(t).open();
    await appendFromAll([store], 50, (writer) => [`log ${writer}`, 'text']);
  });

  test(`[ST15] ${name}: a conflict of one append does not touch those that were made at the same time`, async (t) => {
    const store = await create(t).open();
    const epochs = await Promise.all(['a', 'b', 'c'].map((log) => begin(store, log, ['one'])));
    const [a, stale, lost, c, begun] = await Promise.allSettled([
      store.append('a', request(epochs[0], 1, ['two'])),
      store.append('b', request(epochs[1], 0, ['stale'])),
      store.append('b', request(epochs[1], 9, ['knows too much'])),
      store.append('c', request(epochs[2], 1, ['two'])),
      store.append('d', request(undefined, 0, ['one'])),
    ]);
    assert.deepEqual(
      [a, stale, c, begun].map((result) => result?.status === 'fulfilled' && result.value.ok),
      [true, false, true, true],
    );
    assert.equal(lost?.status, 'rejected');
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((log) => texts(store, log)));
    assert.deepEqual(all, [['one', 'two'], ['one'], ['one', 'two'], ['one']]);
  });

  test(`[ST16] ${name}: whatever the interleaving, the logs are the accepted appends and every conflict shows a true tail`, async (t) => {
    const property = fc.asyncProperty(fc.array(anyAttempt, { maxLength: 25 }), async (attempts) => {
      const data = create(t);
      const first = await data.open();
      const handles = [first, capabilities.shared ? await data.open() : first];
      const known = new Map<string, { epoch: string; seq: number }>();
      const made: Made[] = [];
      const append = async ({ handle, log, behind, length }: Attempt, index: number): Promise<void> => {
        const seen = known.get(log);
        const attempt = request(seen?.epoch, Math.max(0, (seen?.seq ?? 0) - behind), numbered(index, length));
        const result = await (handles[handle] ?? first).append(log, attempt);
        made.push({ log, attempt, result });
        const { epoch } = result.ok ? result : result.conflict;
        const seq = (result.ok ? attempt.records : result.conflict.tail).at(-1)?.seq ?? 0;
        // Responses may arrive in another order than they were decided in.
        if (seq > (known.get(log)?.seq ?? 0)) known.set(log, { epoch, seq });
      };
      const answers: Promise<void>[] = [];
      for (const [index, attempt] of attempts.entries()) {
        answers.push(append(attempt, index));
        if (attempt.waits) await answers.at(-1);
      }
      await Promise.all(answers);
      for (const log of ['a', 'b']) await assertExplained(handles, log, made);
      await Promise.all(handles.map((store) => store.close()));
    });
    await fc.assert(property, { numRuns: runs });
  });
}

/** An append as the property makes it up. */
interface Attempt {
  handle: number;
  log: string;
  /** The number of records the writer pretends not to have seen. */
  behind: number;
  length: number;
  /** True if its answer is awaited before the next one starts. */
  waits: boolean;
}

const anyAttempt: fc.Arbitrary<Attempt> = fc.record({
  handle: fc.nat(1),
  log: fc.constantFrom('a', 'b'),
  behind: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
  length: fc.integer({ min: 1, max: 3 }),
  waits: fc.boolean(),
});

/** An append and its answer. */
interface Made {
  log: string;
  attempt: AppendRequest;
  result: AppendResult;
}

/** The model: a log is its accepted appends in order of seq, and nothing else; conflicts are slices of it. */
async function assertExplained(handles: readonly Store[], log: string, made: readonly Made[]): Promise<void> {
  const mine = made.filter((one) => one.log === log);
  const accepted = mine.filter(({ result }) => result.ok).sort((a, b) => a.attempt.expectedSeq - b.attempt.expectedSeq);
  const expected = accepted.flatMap(({ attempt }) => attempt.records);
  for (const store of handles) assert.deepEqual((await store.read(log, 0))?.records ?? [], expected);
  const epochs = new Set(mine.map(({ result }) => (result.ok ? result.epoch : result.conflict.epoch)));
  assert.ok(epochs.size <= 1, 'one log, one epoch');
  for (const { attempt, result } of mine) {
    if (result.ok) continue;
    const { tail } = result.conflict;
    const seen = attempt.epoch === result.conflict.epoch ? attempt.expectedSeq : 0;
    assert.ok(tail.length > 0, 'a conflict shows what the writer did not know');
    assert.deepEqual(tail, expected.slice(seen, seen + tail.length));
  }
}

function assertOneBegan(
  results: readonly AppendResult[],
  contents: { epoch: string; records: LogRecord[] } | undefined,
): void {
  assert.ok(contents !== undefined);
  assert.equal(contents.records.length, 2);
  const [winner, ...others] = results.filter(({ ok }) => ok);
  assert.deepEqual(winner, { ok: true, epoch: contents.epoch });
  assert.deepEqual(others, []);
  for (const result of results) {
    if (!result.ok) assert.deepEqual(result.conflict, { epoch: contents.epoch, tail: contents.records });
  }
}

/** Appends three times from every writer, all at once. `place` names a writer's log and its text. */
async function appendFromAll(
  handles: readonly Store[],
  writers: number,
  place: (writer: number) => [log: string, text: string],
): Promise<void> {
  const acknowledged = new Map<string, string>();
  const work = Array.from({ length: writers }, async (_, index) => {
    const [log, text] = place(index);
    const [store] = handles.slice(index % handles.length);
    assert.ok(store !== undefined);
    const writer = new Writer(store, log);
    for (let round = 0; round < 3; round += 1) {
      const all = numbered(`${text} ${round}`, 1 + (round % 2));
      const first = await writer.append(all);
      for (const [offset, one] of all.entries()) acknowledged.set(`${log} ${first + offset}`, one);
    }
  });
  await Promise.all(work);
  assert.equal(acknowledged.size, writers * 4, 'no seq was acknowledged to two writers');
  for (const store of handles) {
    const stored = new Map<string, string>();
    for (const log of await store.logs()) {
      for (const { seq, text } of (await store.read(log, 0))?.records ?? []) stored.set(`${log} ${seq}`, text);
    }
    assert.deepEqual(stored, acknowledged);
  }
}

function numbered(text: string | number, length: number): string[] {
  return Array.from({ length }, (_, index) => `${text}.${index}`);
}
