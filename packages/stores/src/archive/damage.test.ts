import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { forestCodec, forestLogName, rootCodec } from '@loom/kernel/logs';
import { passOn } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { createMemoryStore } from '../memory/index.ts';
import { seededRandom } from '@loom/kernel/testing';
import { longestLine } from './archive-line.ts';
import { ArchiveError, importArchive, readCursor, splitLines, verifyArchive } from './index.ts';
import { chainStart } from './log-chain.ts';
import { forged, resealed } from './testing/forger.ts';
import { Gardener, growStore } from './testing/grown-store.ts';
import { archiveOf, changesOf, collect, contentsOf, iterate, take } from './testing/store-contents.ts';

/** Asserts that each log of a store is a prefix of the expected one, and that everything it lists is complete. */
async function assertBeginning(store: Store, whole: ReadonlyMap<string, string[]>): Promise<void> {
  for (const [log, changes] of await contentsOf(store)) {
    assert.deepEqual(changes, whole.get(log)?.slice(0, changes.length), log);
  }
  for (const change of await changesOf(store, forestLogName)) {
    const [, root = ''] = /"root":"([^"]+)"/u.exec(change) ?? [];
    assert.deepEqual(await changesOf(store, root), whole.get(root), `${root} is listed`);
  }
}

test('[AR9] an archive that is cut after any line is refused, and lists nothing that is not whole', async () => {
  const source = createMemoryStore();
  await growStore(source);
  const [lines, whole] = [await archiveOf(source), await contentsOf(source)];
  for (let end = 0; end < lines.length; end += 1) {
    const target = createMemoryStore();
    await assert.rejects(take(target, lines.slice(0, end)), { code: 'archive-cut' });
    await assertBeginning(target, whole);
    await assert.rejects(readCursor(iterate(lines.slice(0, end))), { code: 'archive-cut' });
    // An import of the whole archive later goes on from there.
    await take(target, lines);
    assert.deepEqual(await contentsOf(target), whole);
  }
});

test('[AR9] an archive that is cut inside of a line is refused, at whatever byte', async () => {
  const source = createMemoryStore();
  await growStore(source);
  const [bytes, whole] = [bytesOf(await archiveOf(source)), await contentsOf(source)];
  const random = seededRandom(5);
  for (let run = 0; run < 80; run += 1) {
    const end = Math.floor(random() * (bytes.length - 2));
    const target = createMemoryStore();
    const code = await refusalOf(target, bytes.subarray(0, end));
    assert.ok(code === 'archive-cut' || (code === 'archive-foreign' && end < bytes.indexOf(10)), `${code} at ${end}`);
    await assertBeginning(target, whole);
  }
});

test('[AR10] a flipped bit is found, wherever it is, and no log gets anything wrong', async () => {
  const source = createMemoryStore();
  await growStore(source);
  const [bytes, whole] = [bytesOf(await archiveOf(source)), await contentsOf(source)];
  const random = seededRandom(7);
  for (let run = 0; run < 200; run += 1) {
    const flipped = Uint8Array.from(bytes);
    const at = Math.floor(random() * bytes.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    const target = createMemoryStore();
    const code = await refusalOf(target, flipped);
    // The last line break is the only byte that says nothing.
    if (at < bytes.length - 1) assert.match(code, /^archive-(?:damaged|cut|foreign|newer)$/, `bit at ${at}`);
    await assertBeginning(target, whole);
  }
});

test('[AR10] a change to what is said, or to its order, with corrected sums is found by the hashes of the logs', async () => {
  const source = createMemoryStore();
  const { roots } = await growStore(source);
  const [lines, whole] = [await archiveOf(source), await contentsOf(source)];
  const [first = 0, second = 0, third = 0] = lines.flatMap((line, at) => (isRecord(line) ? [at] : []));
  const swap = (one: number, other: number): string[] =>
    lines.map((line, at) => (at === one ? lines[other] : at === other ? lines[one] : line) ?? '');
  const faults: Record<string, string[]> = {
    'another word': lines.map((line, at) => (at === second ? rewritten(line) : line)),
    'two records swapped': swap(second, third),
    'a record twice': lines.toSpliced(second, 0, lines[second] ?? ''),
    'a record less': lines.toSpliced(second, 1),
    'the first record less': lines.toSpliced(first, 1),
    'the end of a log less': lines.toSpliced(third + 1, 1),
    'another name': lines.map((line) => line.replace(`"name":"${roots[0]}"`, '"name":"other"')),
    'a log less': lines.toSpliced(
      1,
      lines.findIndex((line) => line.startsWith('{"type":"log-end"')),
    ),
    'another origin': lines.map((line) => line.replace(/"origin":"[0-9a-f]{2}/u, '"origin":"00')),
    'a count too many': lines.map((line) => line.replace('"logs":4', '"logs":5')),
    'an end too many': [...lines, lines.at(-1) ?? ''],
    'another blob': lines.map((line) => line.replace(/"data":"../u, '"data":"AB')),
  };
  for (const [fault, lies] of Object.entries(faults)) {
    const target = createMemoryStore();
    await assert.rejects(take(target, resealed(lies)), { code: 'archive-damaged' }, fault);
    await assertBeginning(target, whole);
  }
  // The forger is good: with nothing forged the archive is right.
  assert.deepEqual(resealed(lines), lines);
  // A caller that only wants to know where an archive ends looks at its sum.
  const unsealed = faults['another word'] ?? [];
  await assert.rejects(readCursor(iterate(unsealed)), { code: 'archive-damaged' });
});

test('[AR10] with all hashes corrected, too, a change is found by gaps, by a log that comes twice, and by a list that does not come last', async () => {
  const source = createMemoryStore();
  const { gardener, roots } = await growStore(source);
  const lines = await archiveOf(source);
  const second = lines.findIndex(isRecord) + 1;
  await gardener.say(roots[0] ?? '', roots[0] ?? '', 'new');
  const increment = await archiveOf(source, await readCursor(iterate(lines)));
  // Of roots without anything new an increment has two lines each; those of the list come last.
  const [header = '', ...rest] = increment;
  const [unchanged, list] = [rest.slice(-5, -3), rest.slice(-3, -1)];
  const faults: Record<string, string[]> = {
    'a gap': lines.toSpliced(second, 1),
    'a log twice': [header, ...unchanged, ...rest],
    'the list first': [header, ...list, ...rest.slice(0, -3), ...rest.slice(-1)],
  };
  for (const [fault, lies] of Object.entries(faults)) {
    await assert.rejects(verifyArchive({ lines: iterate(forged(lies)) }), /out of place/, fault);
  }
  for (const truth of [lines, increment]) assert.deepEqual(forged(truth), truth);
});

test('[AR19] a conversation with the name of a path or of a file of Loom is refused, and left out of archives', async () => {
  const names = [
    'loom.db',
    'Loom.DB-wal',
    'config.toml',
    'roots.json',
    'leases.json.tmp',
    'quarantine',
    'blobs',
    '../x',
    '.x',
    'a\nb',
  ];
  const source = createMemoryStore();
  await growStore(source);
  const [header = ''] = await archiveOf(source);
  for (const name of names) {
    const log = JSON.stringify({ type: 'log', name, epoch: 'e', after: 0, hash: chainStart(name).hash });
    const target = createMemoryStore();
    await assert.rejects(take(target, [header, log]), { code: 'archive-unsafe' }, name);
    assert.deepEqual(await target.logs(), []);
  }
  const { epoch, records = [] } = (await source.read(forestLogName, 0)) ?? {};
  const seq = (records.at(-1)?.seq ?? 0) + 1;
  const ops = [{ type: 'root-listed' as const, root: 'loom.db' }];
  const listed = forestCodec.encode({ seq, time: 1, agent: 'anna', request: 'r', result: null, ops });
  await source.append(forestLogName, { epoch, expectedSeq: seq - 1, records: [{ seq, text: listed }] });
  await source.append('loom.db', { epoch: undefined, expectedSeq: 0, records: [{ seq: 1, text: 'whatever' }] });
  const report = await take(createMemoryStore(), await archiveOf(source));
  assert.deepEqual([report.missingLogs, report.roots.length], [['loom.db'], 3]);
});

test('[AR11] something else, a newer format, a line without end and endless nesting are refused, and nothing is written', async () => {
  const cases: [string, string[]][] = [
    ['archive-foreign', ['{"hello":1}', 'x']],
    ['archive-foreign', ['PK\u0003\u0004']],
    ['archive-newer', ['{"type":"archive","format":1000,"shape":"unknown"}', '{"type":"surprise"}']],
    ['archive-cut', []],
  ];
  for (const [code, lines] of cases) {
    const target = createMemoryStore();
    await assert.rejects(take(target, lines), { code });
    assert.deepEqual(await target.logs(), []);
  }
  const piece = new Uint8Array(longestLine / 4).fill(32);
  await assert.rejects(collect(splitLines(iterate([piece, piece, piece, piece, piece]))), {
    code: 'archive-too-large',
  });
  const source = createMemoryStore();
  await growStore(source);
  for (const levels of [1300, 100_000]) {
    const custom = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const json = `{"seq":1,"time":1,"agent":"a","request":"r","result":${custom},"ops":[{"type":"root-changed"}]}`;
    const text = JSON.stringify(`${sumOf(json)} ${json}`);
    const nested = (await archiveOf(source)).map((line) =>
      isRecord(line) ? line.replace(/"text":.*$/u, () => `"text":${text}}`) : line,
    );
    await assert.rejects(take(createMemoryStore(), nested), { code: 'archive-too-large' });
  }
});

test('[AR12] importing again changes nothing, also on top of what was written since', async () => {
  const [source, target] = [createMemoryStore(), createMemoryStore()];
  const { gardener, roots } = await growStore(source);
  const [root = ''] = roots;
  const early = await archiveOf(source);
  await take(target, early);
  const epoch = (await target.read(root, 0))?.epoch;
  assert.equal((await take(target, early)).appended, 0);
  await gardener.say(root, root, 'later');
  const late = await archiveOf(source);
  assert.equal((await take(target, late)).appended, 1);
  assert.equal((await take(target, early)).appended, 0);
  // The import does not read again what it compared before; but that note is disposable.
  const forgetful: Store = { ...passOn(target), readProjection: () => Promise.resolve(undefined) };
  assert.equal((await take(forgetful, late)).appended, 0);
  assert.deepEqual(await contentsOf(target), await contentsOf(source));
  assert.equal((await target.read(root, 0))?.epoch, epoch);
});

test('[AR12] an import that fails at any call of the store goes on later, and ends with the same', async () => {
  const source = createMemoryStore();
  await growStore(source);
  const [lines, whole] = [await archiveOf(source), await contentsOf(source)];
  for (let nth = 1; ; nth += 1) {
    const target = createMemoryStore();
    const failing = failingAt(target, nth);
    const outcome = await take(failing.store, lines).catch((error: unknown) => error);
    await assertBeginning(target, whole);
    if (!failing.hasFailed()) break;
    assert.match(String(outcome), /the world broke/);
    await take(target, lines);
    assert.deepEqual(await contentsOf(target), whole);
  }
});

test('[AR13] a store that has gone on otherwise is refused, and its logs stay as they are', async () => {
  const [source, target] = [createMemoryStore(), createMemoryStore()];
  const { gardener, roots } = await growStore(source);
  const [root = ''] = roots;
  const early = await archiveOf(source);
  await take(target, early);
  const other = { seq: 99, time: 1, agent: 'else', request: 'x', result: null };
  const contents = await target.read(root, 0);
  const seq = (contents?.records.at(-1)?.seq ?? 0) + 1;
  const text = rootCodec.encode({ ...other, seq, ops: [{ type: 'root-changed', title: 'mine' }] });
  await target.append(root, { epoch: contents?.epoch, expectedSeq: seq - 1, records: [{ seq, text }] });
  await gardener.say(root, root, 'theirs');
  const before = await contentsOf(target);
  const whole = await archiveOf(source);
  await assert.rejects(take(target, whole), { code: 'archive-diverged' });
  await assert.rejects(take(target, await archiveOf(source, await readCursor(iterate(early)))), {
    code: 'archive-diverged',
  });
  assert.deepEqual((await contentsOf(target)).get(root), before.get(root));
  assert.deepEqual((await contentsOf(target)).get(forestLogName), before.get(forestLogName));
});

test('[AR13] what has parted long ago is refused, whether the archive is longer, shorter or an increment', async () => {
  const [here, there, target] = [createMemoryStore(), createMemoryStore(), createMemoryStore()];
  const { gardener: mine, roots } = await growStore(here);
  const [root = ''] = roots;
  await take(there, await archiveOf(here));
  const theirs = new Gardener(there, 'b');
  for (const text of ['1', '2', '3']) await mine.say(root, root, `here ${text}`);
  await take(target, await archiveOf(here));
  const before = await contentsOf(target);
  const refused = async (lines: readonly string[]): Promise<void> => {
    await assert.rejects(take(target, lines), { code: 'archive-diverged' });
    assert.deepEqual(await contentsOf(target), before);
  };
  await theirs.say(root, root, 'there 1');
  await refused(await archiveOf(there));
  for (const text of ['2', '3']) await theirs.say(root, root, `there ${text}`);
  const cursor = await readCursor(iterate(await archiveOf(there)));
  await theirs.say(root, root, 'there 4');
  await refused(await archiveOf(there));
  await refused(await archiveOf(there, cursor));
});

test('[AR13] a store with other conversations is refused before it gets any log', async () => {
  const [source, target] = [createMemoryStore(), createMemoryStore()];
  await growStore(source);
  await new Gardener(target, 'other').plant();
  const before = await contentsOf(target);
  await assert.rejects(take(target, await archiveOf(source)), {
    code: 'archive-diverged',
    message: /not those that the archive was made from/,
  });
  assert.deepEqual(await contentsOf(target), before);
});

test('[AR13] an increment without what it builds on is refused, and begins no log', async () => {
  const source = createMemoryStore();
  const { gardener, roots } = await growStore(source);
  const [root = ''] = roots;
  const first = await archiveOf(source);
  await gardener.say(root, root, 'two');
  const second = await archiveOf(source, await readCursor(iterate(first)));
  await gardener.say(root, root, 'three');
  const third = await archiveOf(source, await readCursor(iterate(second)));
  const target = createMemoryStore();
  await assert.rejects(take(target, second), { code: 'archive-base-missing' });
  assert.deepEqual(await target.logs(), []);
  await take(target, first);
  await assert.rejects(take(target, third), { code: 'archive-base-missing' });
  for (const lines of [second, third]) await take(target, lines);
  assert.deepEqual(await contentsOf(target), await contentsOf(source));
});

test('[AR13] another process that writes to a log that is being imported is noticed', async () => {
  const [source, kept] = [createMemoryStore(), createMemoryStore()];
  await growStore(source);
  const lines = await archiveOf(source);
  const raced: Store = {
    ...passOn(kept),
    async append(log, request) {
      await kept.append(log, { epoch: undefined, expectedSeq: 0, records: [{ seq: 1, text: 'mine' }] });
      return kept.append(log, request);
    },
  };
  await assert.rejects(take(raced, lines), { code: 'archive-log-busy' });
});

test('[AR14] an increment since something that the store no longer has is refused', async () => {
  const [source, other] = [createMemoryStore(), createMemoryStore()];
  const { gardener, roots } = await growStore(source);
  const lines = await archiveOf(source);
  const cursor = await readCursor(iterate(lines));
  await take(other, lines);
  await assert.rejects(archiveOf(other, cursor), { code: 'archive-cursor-stale' });
  const ahead = new Map([...cursor].map(([log, point]) => [log, { ...point, seq: point.seq + 1 }]));
  await assert.rejects(archiveOf(source, ahead), { code: 'archive-cursor-stale' });
  // A log that is replaced in the middle of an export is not mixed with its former self.
  const [root = ''] = roots;
  for (let index = 0; index < 20; index += 1) await gardener.say(root, root, `more ${index}`);
  const replaced: Store = {
    ...passOn(source),
    async read(log, after, through) {
      const contents = await source.read(log, after, through);
      return contents && log === root && after > 0 ? { ...contents, epoch: 'another' } : contents;
    },
  };
  await assert.rejects(archiveOf(replaced), { code: 'archive-log-busy' });
});

test('[AR15] no client gets a number that is in use in an imported text', async () => {
  const [source, target] = [createMemoryStore(), createMemoryStore()];
  const { gardener, roots } = await growStore(source);
  const clients = [];
  for (let index = 0; index < 20; index += 1) clients.push(await gardener.addClient(roots[0] ?? ''));
  await take(target, await archiveOf(source));
  assert.ok((await target.nextClientId()) > Math.max(...clients));
});

/** The checksum that a record begins with. */
const sumOf = (json: string): string => crc32(Buffer.from(json, 'utf16le')).toString(16).padStart(8, '0');

const isRecord = (line: string): boolean => line.startsWith('{"type":"record"');

/** A record that says something else, with a checksum that fits. */
function rewritten(line: string): string {
  const [, json = ''] = /"text":(".*")\}$/u.exec(line) ?? [];
  const [change] = rootCodec.decode(String(JSON.parse(json)));
  const text = rootCodec.encode({ ...(change ?? assert.fail()), agent: 'forger' });
  return line.replace(/"text":.*$/u, () => `"text":${JSON.stringify(text)}}`);
}

function bytesOf(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
}

async function refusalOf(store: Store, bytes: Uint8Array): Promise<string> {
  try {
    await importArchive({ store, lines: splitLines(iterate([bytes])) });
    return 'none';
  } catch (error) {
    if (error instanceof ArchiveError) return error.code;
    throw error;
  }
}

/** A store whose n-th write fails, half of them after it was done. */
function failingAt(store: Store, nth: number): { store: Store; hasFailed: () => boolean } {
  let calls = 0;
  const fail = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls !== nth) return work();
    if (nth % 2 === 0) await work();
    throw new Error('the world broke');
  };
  return {
    store: {
      ...passOn(store),
      append: (log, request) => fail(() => store.append(log, request)),
      fold: (log, request) => fail(() => store.fold(log, request)),
      putBlob: (bytes) => fail(() => store.putBlob(bytes)),
      nextClientId: () => fail(() => store.nextClientId()),
      writeProjection: (log, name, request) => fail(() => store.writeProjection(log, name, request)),
    },
    hasFailed: () => calls >= nth,
  };
}
