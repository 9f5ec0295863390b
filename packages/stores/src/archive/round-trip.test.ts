import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, asyncProperty, constantFrom } from 'fast-check';
import { passOn, StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { temporaryStore } from '../files/testing/temporary-store.ts';
import { createMemoryStore } from '../memory/index.ts';
import { temporaryDirectory } from '../sqlite/testing/temporary-directory.ts';
import { blobPiece, textPiece } from './archive-line.ts';
import { exportArchive, readCursor, splitLines, verifyArchive } from './index.ts';
import type { MissingPart } from './index.ts';
import { canonicalJson } from './log-chain.ts';
import { resealed } from './testing/forger.ts';
import { Gardener, growStore } from './testing/grown-store.ts';
import { archiveOf, collect, contentsOf, iterate, take } from './testing/store-contents.ts';

const typeOf = (line: string): string => /^\{"type":"([a-z-]+)"/u.exec(line)?.[1] ?? '';

test('[AR1] an archive is lines of JSON: a header, the logs of the roots, the list of roots, and an end that counts', async () => {
  const store = createMemoryStore();
  const { roots } = await growStore(store);
  const lines = await archiveOf(store);
  assert.match(
    lines[0] ?? '',
    /^\{"type":"archive","format":3,"kind":"whole","time":"1970-01-01T00:00:00\.000Z","origin":"[0-9a-f]{64}"\}$/,
  );
  const logs = lines.filter((line) => typeOf(line) === 'log').map((line): unknown => JSON.parse(line));
  const names = [...roots, 'forest'];
  assert.deepEqual(
    logs.map((log) => typeof log === 'object' && log !== null && 'name' in log && log.name),
    names,
  );
  assert.ok(lines.every((line) => !line.includes('\n') && line.isWellFormed()));
  assert.match(
    lines.at(-1) ?? '',
    /^\{"type":"end","logs":4,"records":\d+,"changes":\d+,"blobs":2,"blob_bytes":18,"hash":"/,
  );
  const { kind, logs: count } = await verifyArchive({ lines: iterate(lines) });
  assert.deepEqual([kind, count], ['whole', 4]);
});

test('[AR2] memory, SQLite, files and memory again: every log is equal, change by change, and so are the blobs', async (t) => {
  const first = createMemoryStore();
  await growStore(first);
  let store: Store = first;
  for (const next of [await temporaryDirectory(t).open(), await temporaryStore(t).open(), createMemoryStore()]) {
    const lines = await archiveOf(store);
    const report = await take(next, lines);
    assert.equal(report.appended, report.changes);
    assert.deepEqual(await contentsOf(next), await contentsOf(first));
    assert.equal(await readPicture(next, 1), 'picture 1');
    store = next;
  }
  // Epochs are of a store; all else is the same, also how records are folded.
  const withoutEpochs = (lines: string[]): string[] =>
    lines.slice(0, -1).map((line) => line.replace(/"epoch":"[^"]*"/u, ''));
  assert.deepEqual(withoutEpochs(await archiveOf(store)), withoutEpochs(await archiveOf(first)));
});

test('[AR2] an empty store has an archive, too', async () => {
  const lines = await archiveOf(createMemoryStore());
  assert.deepEqual(lines.map(typeOf), ['archive', 'end']);
  const target = createMemoryStore();
  assert.equal((await take(target, lines)).logs, 0);
  assert.deepEqual(await target.logs(), []);
});

test('[AR3] a whole archive, and a beginning with increments on top, give the same store', async () => {
  await check(
    asyncProperty(array(constantFrom('say', 'fold', 'plant', 'export'), { maxLength: 25 }), async (steps) => {
      const [source, target] = [createMemoryStore(), createMemoryStore()];
      const gardener = new Gardener(source);
      const roots = [await gardener.plant()];
      let lines = await archiveOf(source);
      await take(target, lines);
      for (const [index, step] of [...steps, 'export'].entries()) {
        const root = roots[index % roots.length] ?? '';
        if (step === 'say') await gardener.say(root, root, `text ${index}`);
        // An earlier increment may have ended in the middle of one.
        if (step === 'fold') await gardener.fold(root);
        if (step === 'plant') roots.push(await gardener.plant());
        if (step !== 'export') continue;
        lines = await archiveOf(source, await readCursor(iterate(lines)));
        await take(target, lines);
      }
      const whole = createMemoryStore();
      await take(whole, await archiveOf(source));
      assert.deepEqual(await contentsOf(target), await contentsOf(source));
      assert.deepEqual(await contentsOf(whole), await contentsOf(source));
    }),
    { numRuns: 25 },
  );
});

test('[AR3] an increment holds what is new, and says of every log what it builds on', async () => {
  const source = createMemoryStore();
  const { gardener, roots } = await growStore(source);
  const before = await archiveOf(source);
  const [root = ''] = roots;
  await gardener.say(root, root, 'something new');
  const increment = await archiveOf(source, await readCursor(iterate(before)));
  assert.equal(increment.filter((line) => typeOf(line) === 'record').length, 1);
  assert.equal(increment.filter((line) => typeOf(line) === 'log').length, 4);
  assert.equal((await verifyArchive({ lines: iterate(increment) })).kind, 'increment');
});

test('[AR4] blobs stand before the record that is the first to cite them, long ones in pieces, each once', async () => {
  const source = createMemoryStore();
  const gardener = new Gardener(source);
  const root = await gardener.plant();
  const long = Uint8Array.from({ length: 2 * blobPiece + 1 }, (_, index) => index % 251);
  const id = await gardener.show(root, long);
  await gardener.show(root, long, await gardener.say(root, root, 'again'));
  await gardener.show(root, new Uint8Array());
  const lines = await archiveOf(source);
  const types = lines.slice(2, -5).map(typeOf);
  assert.deepEqual(types, [
    'record',
    'blob',
    'bytes',
    'bytes',
    'bytes',
    'record',
    'record',
    'record',
    'blob',
    'record',
  ]);
  const target = createMemoryStore();
  const { blobs, blob_bytes: bytes } = await take(target, lines);
  assert.deepEqual([blobs, bytes], [2, long.length]);
  assert.deepEqual(await target.getBlob(id), long);
});

test('[AR4] a blob that is missing or damaged is named, and keeps nothing else from being exported', async () => {
  const memory = createMemoryStore();
  const { roots } = await growStore(memory);
  const target = createMemoryStore();
  const report = await take(target, await archiveOf({ ...passOn(memory), getBlob: () => Promise.resolve(undefined) }));
  assert.equal(report.missingBlobs.length, 2);
  assert.deepEqual(await contentsOf(target), await contentsOf(memory));
  // The list may name a root whose log has not been made yet.
  const [absent = ''] = roots;
  const without: Store = {
    ...passOn(memory),
    read: (log, after, through) => (log === absent ? Promise.resolve(undefined) : memory.read(log, after, through)),
  };
  assert.deepEqual((await take(createMemoryStore(), await archiveOf(without))).missingLogs, [absent]);
});

test('[AR17] a log that is damaged or may not be read is left out and named, and the others are exported', async () => {
  for (const code of ['store-corrupt', 'store-denied'] as const) {
    const memory = createMemoryStore();
    const { gardener, roots } = await growStore(memory);
    const [, bad = ''] = roots;
    const before = await archiveOf(memory);
    for (let index = 0; index < 20; index += 1) await gardener.say(bad, bad, `more ${index}`);
    const why = new StoreError(code, 'change 30 cannot be read', 'Restore it.');
    const damaged: Store = {
      ...passOn(memory),
      read: (log, after, through = Infinity) =>
        log === bad && through >= 30 ? Promise.reject(why) : memory.read(log, after, through),
    };
    for (const since of [undefined, await readCursor(iterate(before))]) {
      const missing: MissingPart[] = [];
      const lines = await collect(exportArchive({ store: damaged, since, missing: (part) => missing.push(part) }));
      assert.deepEqual(missing, [{ type: 'log', name: bad, why }]);
      const target = createMemoryStore();
      if (since !== undefined) await take(target, before);
      assert.deepEqual((await take(target, lines)).missingLogs, [bad]);
      const [there, whole] = [await contentsOf(target), await contentsOf(memory)];
      for (const [log, changes] of whole) if (log !== bad) assert.deepEqual(there.get(log), changes);
      assert.equal(there.has(bad), since !== undefined);
    }
  }
});

test('[AR18] a long record stands in several lines', async () => {
  const memory = createMemoryStore();
  const gardener = new Gardener(memory);
  const root = await gardener.plant();
  // Both halves of a pair, in different lines.
  for (const shift of ['', 'x']) await gardener.say(root, root, `${shift}${'🌲'.repeat(textPiece / 2)}`);
  const lines = await archiveOf(memory);
  const end = lines.findIndex((line) => typeOf(line) === 'log-end');
  assert.deepEqual(lines.slice(2, end).map(typeOf), ['record', 'text', 'record', 'text', 'record']);
  const target = createMemoryStore();
  await take(target, lines);
  assert.deepEqual(await contentsOf(target), await contentsOf(memory));
  const piece = lines.findIndex((line) => typeOf(line) === 'text');
  const faulty = [
    lines.toSpliced(piece, 1),
    lines.toSpliced(piece + 1, 1),
    lines.toSpliced(piece, 0, lines[piece] ?? ''),
  ];
  for (const other of faulty)
    await assert.rejects(verifyArchive({ lines: iterate(resealed(other)) }), { code: 'archive-damaged' });
});

test('[AR5] the hash of a log stands for what its changes say, not for how they are written or folded', async () => {
  const [one, other] = [createMemoryStore(), createMemoryStore()];
  const gardener = new Gardener(one);
  const root = await gardener.plant();
  for (const text of ['a', 'b', 'c']) await gardener.say(root, root, text);
  await take(other, await archiveOf(one));
  await gardener.fold(root);
  const pointsOf = async (store: Store): Promise<unknown> =>
    [...(await readCursor(iterate(await archiveOf(store))))].map(([log, { seq, hash }]) => [log, seq, hash]);
  assert.equal((await one.read(root, 0))?.records.length, 1);
  assert.ok(((await other.read(root, 0))?.records.length ?? 0) > 3);
  assert.deepEqual(await pointsOf(one), await pointsOf(other));
  assert.equal(canonicalJson({ b: [1, { d: undefined, c: '"' }], a: null }), '{"a":null,"b":[1,{"c":"\\""}]}');
});

test('[AR6] lines are cut out of bytes wherever these are cut', async () => {
  const text = 'one\nzwei 🌲\n\nthree';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size += 1) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    assert.deepEqual(await collect(splitLines(iterate(pieces))), text.split('\n'));
  }
});

test('[AR7] a long log is read, and written, a few megabytes at a time', async () => {
  const memory = createMemoryStore();
  const gardener = new Gardener(memory);
  const root = await gardener.plant();
  const words = 'word '.repeat(10_000);
  for (let index = 0; index < 60; index += 1) await gardener.say(root, root, `${index} ${words}`);
  let longest = 0;
  const watch = (texts: readonly { text: string }[]): void => {
    longest = Math.max(
      longest,
      texts.reduce((sum, { text }) => sum + text.length, 0),
    );
  };
  const source: Store = {
    ...passOn(memory),
    async read(log, after, through) {
      const contents = await memory.read(log, after, through);
      watch(contents?.records ?? []);
      return contents;
    },
  };
  const kept = createMemoryStore();
  const target: Store = {
    ...passOn(kept),
    append(log, request) {
      watch(request.records);
      return kept.append(log, request);
    },
  };
  await take(target, await archiveOf(source));
  assert.ok(longest < 2_500_000, String(longest));
  assert.deepEqual(await contentsOf(kept), await contentsOf(memory));
});

test('[AR8] an archive that is made while others write and fold lists only roots that are in it, as they were at some moment', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const memory = createMemoryStore();
    const { gardener, roots } = await growStore(memory);
    let reads = 0;
    const busy: Store = {
      ...passOn(memory),
      async read(log, after, through) {
        reads += 1;
        const root = roots[(reads * seed) % roots.length] ?? '';
        await gardener.say(root, root, `said at read ${reads}`, `agent-${seed}`);
        if (reads % 3 === 0) await gardener.fold(root);
        if (reads % 4 === 0) roots.push(await gardener.plant());
        return memory.read(log, after, through);
      },
    };
    const lines = await archiveOf(busy);
    const target = createMemoryStore();
    await take(target, lines);
    const [there, now] = [await contentsOf(target), await contentsOf(memory)];
    for (const [log, changes] of there) assert.deepEqual(changes, now.get(log)?.slice(0, changes.length), log);
    const listed = await new Gardener(target).forest.roots();
    assert.ok(listed.length >= 3 && listed.every((root) => (there.get(root)?.length ?? 0) > 0));
    // The later changes fit behind it.
    await take(target, await archiveOf(memory, await readCursor(iterate(lines))));
    assert.deepEqual(await contentsOf(target), await contentsOf(memory));
  }
});

test('[AR8] a list of roots that is read last lists what is not there, and is caught', async () => {
  const memory = createMemoryStore();
  const { gardener } = await growStore(memory);
  const lines = await archiveOf(memory);
  await gardener.plant();
  const later = await archiveOf(memory);
  const forestOf = (all: string[]): number => all.findIndex((line) => line.startsWith('{"type":"log","name":"forest"'));
  const faulty = [...lines.slice(0, forestOf(lines)), ...later.slice(forestOf(later))];
  await assert.rejects(take(createMemoryStore(), faulty), { code: 'archive-damaged', message: /lists the root/ });
});

async function readPicture(store: Store, index: number): Promise<string> {
  const lines = await archiveOf(store);
  const ids = lines.flatMap((line) => /^\{"type":"blob","id":"([^"]+)"/u.exec(line)?.[1] ?? []);
  return new TextDecoder().decode(await store.getBlob(ids[index] ?? ''));
}
