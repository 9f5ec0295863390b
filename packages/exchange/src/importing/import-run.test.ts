import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { ImportReport, JobHandle } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { instantClock, temporaryDirectory } from '@loom/kernel/testing';
import type { ForeignFormat } from './format.ts';
import { formats } from './formats/formats.ts';
import { keptLinesOf } from './import-note.ts';
import { runImport } from './import-run.ts';
import type { ImportRequest } from './import-run.ts';
import { Origins } from './origins.ts';
import { createImportWorld } from './testing/imports.ts';
import type { ImportWorld } from './testing/imports.ts';
import { noteFormat } from './testing/note-format.ts';

const job: JobHandle = { signal: new AbortController().signal, report: () => {} };

function importInto(
  world: ImportWorld,
  request: ImportRequest,
  handle = job,
  all: readonly ForeignFormat[] = [noteFormat],
): Promise<ImportReport> {
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  return runImport({ forest, blobs, newId, origins: new Origins(), formats: all }, request, handle);
}

const lines = (id: string, count: number, start = 0): string =>
  Array.from({ length: count }, (_, index) => `{"id":"${id}-${start + index}","text":"words ${start + index}"}\n`).join(
    '',
  );

test('[IM47] what does not say when it happened has the time of its file, or of its first line that says it', async (context) => {
  const folder = temporaryDirectory(context);
  const path = join(folder, 'old.jsonl');
  writeFileSync(path, `{"notes":"old"}\n${lines('old', 3)}`);
  const written = Date.UTC(2020, 1, 2);
  utimesSync(path, written / 1000, written / 1000);
  const said = (timestamp: string, text: string): string =>
    `${JSON.stringify({ timestamp, type: 'response_item', payload: { role: 'user', content: [{ type: 'input_text', text }] } })}\n`;
  writeFileSync(
    join(folder, 'rollout.jsonl'),
    said('2021-03-04T00:00:00.000Z', 'a') + said('2022-05-06T00:00:00.000Z', 'b'),
  );
  const world = createImportWorld();
  await importInto(world, { paths: [folder] }, job, [noteFormat, ...formats]);
  const times = (await world.states()).map(({ created, updated }) => [created, updated]);
  assert.deepEqual(
    times.toSorted(([one = 0], [other = 0]) => one - other),
    [
      [written, written],
      [Date.UTC(2021, 2, 4), Date.UTC(2022, 4, 6)],
    ],
  );
});

test('[IM20] a folder is looked through, unknown files are left alone and named, links are not followed', async (context) => {
  const folder = temporaryDirectory(context);
  mkdirSync(join(folder, 'deep', 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'deep', 'a.jsonl'), `{"notes":"a"}\n${lines('a', 3)}`);
  writeFileSync(join(folder, 'b.json'), '{"something":"else"}');
  writeFileSync(join(folder, 'c.txt'), '{"notes":"c"}\n');
  writeFileSync(join(folder, 'deep', 'node_modules', 'd.jsonl'), '{"notes":"d"}\n');
  symlinkSync(join(folder, 'deep'), join(folder, 'again'));
  const world = createImportWorld();
  const report = await importInto(world, { paths: [folder] });
  assert.deepEqual(
    { files: report.files, unknown: report.files_unknown, roots: report.roots_added, nodes: report.nodes_added },
    { files: 1, unknown: 1, roots: 1, nodes: 3 },
  );
  assert.match(report.warnings.join('\n'), /b\.json: not a history that Loom can read/u);
  assert.deepEqual(report.roots, await world.forest.roots());
  assert.deepEqual(report.sources, { [noteFormat.source]: { files: 1, roots_added: 1, nodes_added: 3 } });
});

test('[SN33] an import makes one snapshot of a long conversation, when it is done with its file', async (context) => {
  const folder = temporaryDirectory(context);
  writeFileSync(join(folder, 'long.jsonl'), `{"notes":"a"}\n${lines('a', 70)}`);
  writeFileSync(join(folder, 'short.jsonl'), `{"notes":"b"}\n${lines('b', 3)}`);
  const world = createImportWorld();
  const forest = new Forest({
    store: world.store,
    clock: instantClock(),
    ids: { next: world.newId },
    snapshotEvery: 20,
  });
  const written: string[] = [];
  const write = world.store.writeProjection.bind(world.store);
  world.store.writeProjection = (log, ...rest) => {
    if (log.startsWith('root-')) written.push(log);
    return write(log, ...rest);
  };
  await importInto({ ...world, forest }, { paths: [folder] });
  const [long = ''] = await forest.roots();
  assert.deepEqual(written, [long]);
});

test('[IM21] every line is accounted for, and lines that cannot be read are told of', async (context) => {
  const path = join(temporaryDirectory(context), 'a.jsonl');
  writeFileSync(path, `{"notes":"a"}\n${lines('a', 2)}nonsense\n{"id":"cut","te`);
  const report = await importInto(createImportWorld(), { paths: [path] });
  assert.equal(report.lines_read, 5);
  assert.equal(report.lines_used, 3);
  assert.equal(report.lines_reported, 2);
  assert.equal(report.lines_read, report.lines_used + report.lines_raw + report.lines_reported);
  assert.match(report.warnings.join('\n'), /a\.jsonl: a line is not JSON \(2 times\)/u);
});

test('[IM39] a line that says something else than one of its name in another file is kept beside it, counted as raw and told of', async (context) => {
  const folder = temporaryDirectory(context);
  const [first, second] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
  writeFileSync(first, `{"notes":"a"}\n${lines('a', 3)}`);
  writeFileSync(second, `{"notes":"a"}\n${lines('a', 2)}{"id":"a-2","text":"other words"}\n`);
  const world = createImportWorld();
  const report = await importInto(world, { paths: [folder] });
  const [state] = await world.states();
  const nodes = [...(state?.nodes.values() ?? [])];
  assert.deepEqual(
    nodes[2]?.blocks.map((block) => (block.type === 'raw' ? block.value : block.type === 'text' && block.text)),
    ['words 2', { type: 'text', text: 'other words' }],
  );
  assert.deepEqual([report.nodes_added, report.blocks_added], [3, 4]);
  const { lines_read: read, lines_used: used, lines_raw: raw, lines_reported: reported } = report;
  assert.deepEqual({ read, used, raw, reported }, { read: 8, used: 7, raw: 1, reported: 0 });
  assert.deepEqual(report.warnings, [
    `${second}: a line says something else than what was imported of ${first} under the same name (a-2 at ${nodes[2]?.id}); kept beside it as raw, which models are not shown`,
  ]);
  const again = await importInto(world, { paths: [folder], again: true });
  assert.deepEqual([again.nodes_added, again.blocks_added, again.lines_raw], [0, 0, 1]);
});

test('[IM39] a text with the sign that stands for purged ones is compared like any other', async (context) => {
  const folder = temporaryDirectory(context);
  const paths = ['█████░ 80 %', '█████'].flatMap((text, index) =>
    [text, 'other words'].map((words, version) => {
      const path = join(folder, `${index}-${version}.jsonl`);
      writeFileSync(path, `{"notes":"${index}"}\n{"id":"a","text":"${words}"}\n`);
      return path;
    }),
  );
  const report = await importInto(createImportWorld(), { paths });
  assert.deepEqual([report.nodes_added, report.blocks_added, report.lines_raw], [2, 4, 2]);
  assert.equal(report.warnings.length, 2);
});

test('[IM43] a text that an older Loom may have purged, in a conversation without kept lines, is left alone and told of', async (context) => {
  const folder = temporaryDirectory(context);
  const take = async (name: string, texts: readonly string[]): Promise<ImportReport> => {
    const chats = texts.map((text, index) => ({
      id: `c${index}`,
      title: 'T',
      chat: { history: { messages: { m1: { id: 'm1', parentId: null, role: 'user', content: text, timestamp: 1 } } } },
    }));
    writeFileSync(join(folder, name), JSON.stringify(chats));
    return importInto(world, { paths: [join(folder, name)] }, job, formats);
  };
  const world = createImportWorld();
  await take('0.json', ['████', '████']);
  const report = await take('1.json', ['other', 'other']);
  // The file's lines are kept with its first conversation only.
  assert.deepEqual([report.blocks_added, report.lines_raw, report.warnings.length], [1, 1, 2]);
  assert.match(
    report.warnings.join('\n'),
    /1 line differs from what is there, which looks as if an older version of Loom/u,
  );
});

test('[IM39] what people have changed of a message is not taken for other words of its file', async (context) => {
  const path = join(temporaryDirectory(context), 'a.jsonl');
  writeFileSync(path, `{"notes":"a"}\n${lines('a', 2)}`);
  const world = createImportWorld();
  await importInto(world, { paths: [path] });
  const [state] = await world.states();
  const block = [...(state?.nodes.values() ?? [])][0]?.blocks[0]?.block_id ?? '';
  const request = { agent: 'person', id: world.newId() };
  assert.ok((await world.forest.editBlock(request, state?.id ?? '', { block, text: 'mine' })).ok);
  const again = await importInto(world, { paths: [path] });
  assert.deepEqual([again.blocks_added, again.lines_raw, again.warnings], [0, 0, []]);
});

test('[IM42] a text that goes on in an export that is taken again becomes longer, also twice; an older export changes nothing, nor does what people have changed', async (context) => {
  const folder = temporaryDirectory(context);
  const parts = ['It', 'It is', 'It is so.'];
  const paths = parts.map((text, index) => {
    const answer = { id: 'm2', parentId: 'm1', role: 'assistant', content: text, timestamp: 2 };
    const messages = { m1: { id: 'm1', parentId: null, role: 'user', content: 'Why?', timestamp: 1 }, m2: answer };
    const path = join(folder, `${index}.json`);
    writeFileSync(path, JSON.stringify([{ id: 'c1', title: 'T', chat: { history: { messages, currentId: 'm2' } } }]));
    return path;
  });
  const take = async (world: ImportWorld, path = ''): Promise<unknown> => {
    const report = await importInto(world, { paths: [path] }, job, formats);
    return [report.blocks_added, report.lines_raw, report.warnings];
  };
  const saidIn = async (world: ImportWorld): Promise<unknown[]> =>
    (await world.states()).flatMap(({ nodes }) =>
      [...nodes.values()].flatMap(({ blocks }) => blocks.map((block) => (block.type === 'text' ? block.text : block))),
    );
  const world = createImportWorld();
  assert.deepEqual(await take(world, paths[0]), [2, 0, []]);
  for (const index of [1, 2, 0, 1, 2]) assert.deepEqual(await take(world, paths[index]), [0, 0, []]);
  assert.deepEqual(await saidIn(world), ['Why?', 'It is so.']);
  const edited = createImportWorld();
  await take(edited, paths[0]);
  await take(edited, paths[1]);
  const [state] = await edited.states();
  const block = [...(state?.nodes.values() ?? [])][1]?.blocks[0]?.block_id ?? '';
  const request = { agent: 'person', id: edited.newId() };
  assert.ok((await edited.forest.editBlock(request, state?.id ?? '', { block, text: 'It' })).ok);
  assert.deepEqual(await take(edited, paths[2]), [0, 0, []]);
  assert.deepEqual(await saidIn(edited), ['Why?', 'It']);
});

test('[IM39] a line that is longer than one of its name in a file that is only added to is kept beside it', async (context) => {
  const folder = temporaryDirectory(context);
  writeFileSync(join(folder, 'a.jsonl'), `{"notes":"a"}\n${lines('a', 2)}`);
  writeFileSync(join(folder, 'b.jsonl'), `{"notes":"a"}\n${lines('a', 1)}{"id":"a-1","text":"words 1 and more"}\n`);
  const report = await importInto(createImportWorld(), { paths: [folder] });
  assert.deepEqual([report.blocks_added, report.lines_raw], [3, 1]);
});

test('[IM22] a file that has not changed is not read again unless it is named; one that has grown adds what is new', async (context) => {
  const folder = temporaryDirectory(context);
  const path = join(folder, 'a.jsonl');
  writeFileSync(path, `{"notes":"a"}\n${lines('a', 2)}`);
  const world = createImportWorld();
  await importInto(world, { paths: [folder] });
  const unchanged = await importInto(world, { paths: [folder] });
  assert.deepEqual([unchanged.files, unchanged.files_unchanged], [0, 1]);
  const named = await importInto(world, { paths: [path] });
  assert.deepEqual([named.files, named.nodes_added], [1, 0]);
  appendFileSync(path, lines('a', 3, 2));
  const grown = await importInto(world, { paths: [folder] });
  assert.deepEqual([grown.files, grown.roots_added, grown.nodes_added], [1, 0, 3]);
});

test('[IM23] what was read is kept as it came, in compressed pieces of 1 MB, once', async (context) => {
  const path = join(temporaryDirectory(context), 'a.jsonl');
  const text = `{"notes":"a"}\n${lines('a', 300).replaceAll('words', 'many words '.repeat(500))}`;
  writeFileSync(path, text);
  const world = createImportWorld();
  await importInto(world, { paths: [path] });
  await importInto(world, { paths: [path] });
  const [state] = await world.states();
  const pieces = [...(state?.nodes.values() ?? [])].flatMap(keptLinesOf);
  const read = await Promise.all(
    pieces.map(async ({ blob }) => zstdDecompressSync((await world.store.getBlob(blob)) ?? '')),
  );
  assert.equal(Buffer.concat(read).toString(), text);
  assert.ok(pieces.length > 1 && pieces.every(({ bytes }) => bytes <= 1024 * 1024));
});

test('[IM24] an import that is cancelled keeps what it has, and another one goes on from there', async (context) => {
  const folder = temporaryDirectory(context);
  for (const name of ['a', 'b', 'c'])
    writeFileSync(join(folder, `${name}.jsonl`), `{"notes":"${name}"}\n${lines(name, 2)}`);
  const world = createImportWorld();
  const stop = new AbortController();
  const handle = { signal: stop.signal, report: (words: string) => (words === 'b.jsonl' ? stop.abort() : undefined) };
  const cut = await importInto(world, { paths: [folder] }, handle);
  assert.equal(cut.cancelled, true);
  assert.ok(cut.roots_added < 3);
  const rest = await importInto(world, { paths: [folder] });
  assert.equal(rest.cancelled, false);
  assert.equal((await world.forest.roots()).length, 3);
  assert.equal(cut.nodes_added + rest.nodes_added, 6);
});

test('[IM24] where an import was stopped is not told as the end of the file', async (context) => {
  const path = join(temporaryDirectory(context), 'a.jsonl');
  const text = `{"notes":"a"}\n${lines('a', 300).replaceAll('words', 'many words '.repeat(500))}`;
  writeFileSync(path, text);
  const world = createImportWorld();
  const stop = new AbortController();
  const handle = { signal: stop.signal, report: (_words: string, done = 0) => (done > 0 ? stop.abort() : undefined) };
  const cut = await importInto(world, { paths: [path] }, handle);
  assert.ok(cut.nodes_added > 0 && cut.nodes_added < 300, 'it was stopped in the middle');
  assert.deepEqual([cut.lines_reported, cut.warnings], [0, []]);
  const rest = await importInto(world, { paths: [path] });
  assert.deepEqual([cut.nodes_added + rest.nodes_added, rest.warnings], [300, []]);
});

test('[IM25] a file that cannot be read is told of, and the others are taken in', async (context) => {
  const folder = temporaryDirectory(context);
  writeFileSync(join(folder, 'a.jsonl'), `{"notes":"a"}\n${lines('a', 1)}`);
  writeFileSync(join(folder, 'b.jsonl'), `{"notes":"b"}\n${lines('b', 1)}`);
  const world = createImportWorld();
  const failing = { ...noteFormat, recognizes: (path: string) => (path.endsWith('a.jsonl') ? fail() : true) };
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const setup = { forest, blobs, newId, origins: new Origins(), formats: [failing] };
  const report = await runImport(setup, { paths: [folder] }, job);
  assert.equal(report.roots_added, 1);
  assert.match(report.warnings.join('\n'), /a\.jsonl: it is locked/u);
});

test('[IM25] folders and files that may not be read are told of with what to do, and the others are taken in', async (context) => {
  const folder = temporaryDirectory(context);
  chmodSync(folder, 0o755);
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, `${name}.jsonl`), `{"notes":"${name}"}\n${lines(name, 1)}`);
  }
  chmodSync(join(folder, 'a'), 0);
  chmodSync(join(folder, 'b', 'b.jsonl'), 0);
  const report = await asOrdinaryUser(() => importInto(createImportWorld(), { paths: [folder] }));
  chmodSync(join(folder, 'a'), 0o700);
  assert.equal(report.roots_added, 1);
  assert.match(report.warnings[0] ?? '', /[/]a: Loom may not read it\. Allow it to, and import it again\.$/u);
  assert.match(report.warnings[1] ?? '', /b\.jsonl: Loom may not read it\./u);
});

/** Nothing is forbidden to the superuser, whom tests run as in some containers. */
async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

test('[IM25] a reader that breaks, a pipe, and a folder that has gone meanwhile do not stop the others', async (context) => {
  const folder = temporaryDirectory(context);
  writeFileSync(join(folder, 'a.jsonl'), `{"notes":"a"}\n${lines('a', 1)}`);
  writeFileSync(join(folder, 'b.jsonl'), `{"notes":"b"}\n${lines('b', 1)}`);
  const world = createImportWorld();
  const breaking = { ...noteFormat, recognizes: (path: string) => (path.endsWith('a.jsonl') ? overflow() : true) };
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const setup = { forest, blobs, newId, origins: new Origins(), formats: [breaking] };
  const paths = ['/dev/null', join(folder, 'gone'), folder];
  const report = await runImport(setup, { paths }, job);
  assert.equal(report.roots_added, 1);
  assert.match(report.warnings[0] ?? '', /neither a file nor a folder/u);
  assert.match(report.warnings[1] ?? '', /gone: it is not there any more/u);
  assert.match(report.warnings[2] ?? '', /a\.jsonl: it cannot be read on \(Maximum call stack/u);
});

function overflow(): never {
  throw new RangeError('Maximum call stack size exceeded');
}

test('[IM20] a link that is named stands for what it points to', async (context) => {
  const folder = temporaryDirectory(context);
  mkdirSync(join(folder, 'real'));
  writeFileSync(join(folder, 'real', 'a.jsonl'), `{"notes":"a"}\n${lines('a', 3)}`);
  symlinkSync(join(folder, 'real'), join(folder, 'link'));
  const report = await importInto(createImportWorld(), { paths: [join(folder, 'link')] });
  assert.deepEqual([report.files, report.nodes_added], [1, 3]);
});

function fail(): never {
  throw Object.assign(new Error('it is locked'), { code: 'EBUSY' });
}

test('[IM26] a file that became shorter, or another one under its name, is read from its beginning', async (context) => {
  const path = join(temporaryDirectory(context), 'a.jsonl');
  writeFileSync(path, `{"notes":"a"}\n${lines('a', 5)}`);
  const world = createImportWorld();
  await importInto(world, { paths: [path] });
  truncateSync(path, Math.trunc(statSync(path).size / 2));
  const report = await importInto(world, { paths: [path] });
  assert.equal(report.nodes_added, 0);
  writeFileSync(path, `{"notes":"b"}\n${lines('b', 2)}`);
  assert.equal((await importInto(world, { paths: [path] })).roots_added, 1);
});
