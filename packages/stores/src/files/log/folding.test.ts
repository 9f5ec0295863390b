import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { openFileSystemStore } from '../index.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

test('[FS21] whatever was written together and whatever is folded of it, the log is the same when it is opened again', async () => {
  const writes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 6 });
  const folds = fc.array(fc.tuple(fc.nat(), fc.nat(3)), { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(writes, folds, async (sizes, choices) => {
    const disk = new SimulatedFiles(Math.random);
    const store = await openFileSystemStore({ directory: '/data', files: disk.boot() });
    let expected: { seq: number; text: string }[] = [{ seq: 1, text: 'begin' }];
    const epoch = await begin(store, 'a', ['begin']);
    const append = async (size: number): Promise<void> => {
      const last = expected.at(-1)?.seq ?? 0;
      const added = Array.from({ length: size }, (_, index) => `change ${last + 1 + index}`);
      await store.append('a', request(epoch, last, added));
      expected.push(...added.map((text, index) => ({ seq: last + 1 + index, text })));
    };
    for (const size of sizes) await append(size);
    for (const [at, length] of choices) {
      const start = at % expected.length;
      const end = Math.min(start + length, expected.length - 1);
      const record = { seq: expected[end]?.seq ?? 0, text: `folded up to ${end}` };
      assert.ok(await store.fold('a', { epoch, first: (expected[start - 1]?.seq ?? 0) + 1, record }));
      expected = expected.toSpliced(start, end + 1 - start, record);
    }
    assert.deepEqual((await store.read('a', 0))?.records, expected);
    await append(2);
    disk.cutPower();
    const again = await openFileSystemStore({ directory: '/data', files: disk.boot() });
    assert.deepEqual((await again.read('a', 0))?.records, expected);
  });
  await fc.assert(property, { numRuns: 200 });
});

test('[FS21] a fold copies the lines around it as they are, damage included, which is found as before', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one', 'two', 'three', 'four', 'five', 'six']);
  const file = join(path, 'a', 'log.jsonl');
  const before = readFileSync(file, 'utf8').split('\n');
  const damaged = before.with(2, (before[2] ?? '').replace('two', 'owt'));
  writeFileSync(file, damaged.join('\n'));
  assert.ok(await store.fold('a', { epoch, first: 4, record: { seq: 5, text: 'four and five' } }));
  const after = readFileSync(file, 'utf8').split('\n');
  assert.deepEqual(after.toSpliced(4, 1), damaged.toSpliced(4, 2));
  await assert.rejects(store.read('a', 0), { code: 'store-corrupt' });
  await store.close();
  await assert.rejects((await open()).read('a', 0), { code: 'store-corrupt' });
});

test('[FS21] a damaged line that would have to be read to fold beside it is reported, and nothing changed', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  await store.append('a', request(epoch, 1, ['two', 'three', 'four']));
  const file = join(path, 'a', 'log.jsonl');
  const whole = readFileSync(file, 'utf8');
  for (const word of ['two', 'four']) {
    writeFileSync(file, whole.replace(`"${word}"`, '"some"'));
    const fold = store.fold('a', { epoch, first: 3, record: { seq: 3, text: 'THREE' } });
    await assert.rejects(fold, { code: 'store-corrupt' });
    assert.equal(readFileSync(file, 'utf8'), whole.replace(`"${word}"`, '"some"'));
  }
  writeFileSync(file, whole);
  assert.ok(await store.fold('a', { epoch, first: 3, record: { seq: 3, text: 'THREE' } }));
  assert.deepEqual(await texts(store, 'a'), ['one', 'two', 'THREE', 'four']);
});
