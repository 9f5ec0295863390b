import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { openFileSystemReader, openFileSystemStore } from '../index.ts';
import { logDirectory, logOfDirectory } from './log-directory.ts';
import { sealFields } from '../sealed-line.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

const change = '0badc0de {"seq":2,"ops":[{"type":"text","text":"Grüße\\n🧵"}]}';

test('[FS1] every line of a log is JSON, in which a change stands as it is', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'root-1', ['one', change]);
  await store.append('root-1', request(epoch, 2, ['a\nb', '{"seq":4}', '0badc0de {broken']));
  const lines = readFileSync(join(path, 'root-1', 'log.jsonl'), 'utf8').split('\n');
  assert.equal(lines.pop(), '');
  const values = lines.map((line): unknown => JSON.parse(line));
  const fields = values.map((value) => ({ ...(typeof value === 'object' ? value : {}), crc: undefined }));
  const parsed: unknown = JSON.parse(change.slice(9));
  const write = [3, 5];
  assert.deepEqual(fields, [
    { crc: undefined, format: 2, log: 'root-1', epoch, through: 2 },
    { crc: undefined, seq: 1, text: 'one' },
    { crc: undefined, seq: 2, sum: '0badc0de', change: parsed },
    { crc: undefined, seq: 3, write, text: 'a\nb' },
    { crc: undefined, seq: 4, write, text: '{"seq":4}' },
    { crc: undefined, seq: 5, write, text: '0badc0de {broken' },
  ]);
});

test('[FS2] the directory of a log is a safe name that leads back to it', () => {
  const expected = {
    'root-1': 'root-1',
    'a/b': 'a%2Fb',
    '..': '%2E%2E',
    'roots.json': 'roots%2Ejson',
    blobs: '%62lobs',
  };
  for (const [log, directory] of Object.entries(expected)) assert.equal(logDirectory(log), directory);
  assert.match(logDirectory('x'.repeat(201)), /^~[0-9a-f]{64}$/u);
  const property = fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), (log) => {
    const directory = logDirectory(log);
    assert.match(directory, /^(?:(?:[A-Za-z0-9_-]|%[0-9A-F]{2}){1,200}|~[0-9a-f]{64})$/u);
    assert.deepEqual(logOfDirectory(directory), directory.startsWith('~') ? 'hashed' : { log });
  });
  fc.assert(property);
  for (const foreign of ['.git', 'roots.json', 'a%2fb', 'blobs', '%FF', 'a b', '']) {
    assert.equal(logOfDirectory(foreign), undefined, foreign);
  }
});

test('[FS2] what lies beside the logs is no log', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  await begin(store, 'a', ['one']);
  await store.nextClientId();
  await store.putBlob(Uint8Array.of(1));
  mkdirSync(join(path, 'root-2', 'nodes'), { recursive: true });
  writeFileSync(join(path, 'notes'), 'a file');
  assert.deepEqual(await store.logs(), ['a']);
});

test('[FS3] what arrives during a sync shares the next one', async () => {
  const files = new SimulatedFiles(Math.random).boot();
  let syncs = 0;
  const store = await openFileSystemStore({
    directory: '/data',
    files: {
      ...files,
      async open(path, how) {
        const file = await files.open(path, how);
        return { ...file, sync: () => ((syncs += 1), file.sync()) };
      },
    },
  });
  const epoch = await begin(store, 'a', ['one']);
  syncs = 0;
  const append = (seq: number): Promise<unknown> => store.append('a', request(epoch, seq - 1, [`${seq}`]));
  await Promise.all(Array.from({ length: 100 }, (_, index) => append(index + 2)));
  assert.equal((await texts(store, 'a'))?.length, 101);
  assert.equal(syncs, 1);
});

test('[FS4] a torn tail is not shown, and is put aside with its bytes before anything is written', async (t) => {
  for (const cut of [1, 10, 70]) {
    const { path, open } = temporaryStore(t);
    const first = await open();
    const epoch = await begin(first, 'a', ['one']);
    const before = readFileSync(join(path, 'a', 'log.jsonl'));
    await first.append('a', request(epoch, 1, ['two', 'three']));
    await first.close();
    const whole = readFileSync(join(path, 'a', 'log.jsonl'));
    writeFileSync(join(path, 'a', 'log.jsonl'), whole.subarray(0, -cut));
    rmSync(join(path, 'a', 'log.jsonl.acknowledged'));
    const store = await open();
    assert.deepEqual(await texts(store, 'a'), ['one']);
    assert.deepEqual(readdirSync(join(path, 'a')), ['log.jsonl']);
    assert.deepEqual(await store.append('a', request(epoch, 1, ['other'])), { ok: true, epoch });
    const [, mark, aside = '', ...more] = readdirSync(join(path, 'a')).sort();
    assert.equal(mark, 'log.jsonl.acknowledged');
    assert.match(aside, /^log\.jsonl\.torn-2-[0-9a-f]{8}$/u);
    assert.deepEqual(more, []);
    assert.deepEqual(readFileSync(join(path, 'a', aside)), whole.subarray(before.length, -cut));
    await store.close();
    assert.deepEqual(await texts(await open(), 'a'), ['one', 'other']);
  }
});

test('[FS5] damage that later writes follow is reported, nothing is rewritten, and other logs go on', async (t) => {
  const { path, open } = temporaryStore(t);
  const first = await open();
  const epoch = await begin(first, 'a', ['one', 'two', 'three']);
  await begin(first, 'b', ['one']);
  await first.close();
  const file = join(path, 'a', 'log.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  const damages = [
    lines.with(1, 'x'),
    lines.with(2, (lines[2] ?? '').replace('two', 'owt')),
    lines.toSpliced(2, 1),
    lines.with(0, ''),
    lines.toSpliced(1, 2, lines[2] ?? '', lines[1] ?? ''),
    [''],
  ];
  for (const damage of damages) {
    writeFileSync(file, damage.join('\n'));
    const store = await open();
    await assert.rejects(store.read('a', 0), { code: 'store-corrupt' });
    await assert.rejects(store.append('a', request(epoch, 3, ['four'])), { code: 'store-corrupt' });
    assert.equal(readFileSync(file, 'utf8'), damage.join('\n'));
    assert.deepEqual(await texts(store, 'b'), ['one']);
    await store.close();
  }
});

test('[FS5] what an editor or git has done to a whole log is named, and a folder in its place is damage', async (t) => {
  const { path, open } = temporaryStore(t);
  const first = await open();
  await begin(first, 'a', ['one', 'two\r\n']);
  await first.close();
  const file = join(path, 'a', 'log.jsonl');
  const whole = readFileSync(file, 'utf8');
  const conversions: [string, RegExp][] = [
    [`\u{feff}${whole}`, /byte order mark/u],
    [whole.replaceAll('\n', '\r\n'), /CR and LF/u],
  ];
  for (const [converted, message] of conversions) {
    writeFileSync(file, converted);
    const store = await open();
    await assert.rejects(store.read('a', 0), { code: 'store-corrupt', message });
    await store.close();
  }
  writeFileSync(file, (conversions[1]?.[0] ?? '').replaceAll('\r\n', '\n'));
  const mended = await open();
  assert.deepEqual(await texts(mended, 'a'), ['one', 'two\r\n']);
  await mended.close();
  rmSync(file);
  mkdirSync(file);
  const store = await open();
  for (const one of [store, openFileSystemReader({ directory: path })]) {
    await assert.rejects(one.read('a', 0), { code: 'store-corrupt', message: /a folder is in its place/u });
  }
});

test('[FS6] a log or a file of a newer format is refused and stays as it is', async (t) => {
  const { path, open } = temporaryStore(t);
  mkdirSync(join(path, 'a'));
  const newer = sealFields({ log: 'a', epoch: 'e', reserved: 1 }, 1000);
  const files = [join(path, 'a', 'log.jsonl'), join(path, 'client-ids.json')];
  for (const file of files) writeFileSync(file, newer);
  const store = await open();
  await assert.rejects(store.append('a', request('e', 0, ['one'])), { code: 'store-newer' });
  await assert.rejects(store.nextClientId(), { code: 'store-newer' });
  for (const file of files) assert.equal(readFileSync(file, 'utf8'), newer);
});

test('[FS28] a log takes a newer number with the first records that need it, and keeps everything it had', async (t) => {
  const { path, open } = temporaryStore(t);
  const file = join(path, 'a', 'log.jsonl');
  const numberIn = (): string | undefined => /"format":(\d+)/u.exec(readFileSync(file, 'utf8'))?.[1];
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  await store.append('a', request(epoch, 1, ['two']));
  const before = readFileSync(file, 'utf8');
  assert.equal(numberIn(), '2');
  await store.append('a', { ...request(epoch, 2, ['three']), format: 3 });
  assert.equal(numberIn(), '3');
  // Behind the first line nothing has changed but its end.
  const lines = (text: string): string[] => text.split('\n').slice(1, -1);
  assert.deepEqual(lines(readFileSync(file, 'utf8')).slice(0, 2), lines(before));
  await store.append('a', request(epoch, 3, ['four']));
  await store.close();
  const again = await open();
  assert.deepEqual(await texts(again, 'a'), ['one', 'two', 'three', 'four']);
  await begin(again, 'b', ['one']);
  assert.match(readFileSync(join(path, 'b', 'log.jsonl'), 'utf8'), /"format":2/u);
});

test('[FS12] [FS16] a flipped or lost byte never shows as other data', async (t) => {
  const { path, open } = temporaryStore(t);
  const first = await open();
  const all = ['one', change, 'three', 'four'];
  const epoch = await begin(first, 'a', all.slice(0, 2));
  await first.append('a', request(epoch, 2, all.slice(2, 3)));
  await first.append('a', request(epoch, 3, all.slice(3)));
  await first.close();
  const file = join(path, 'a', 'log.jsonl');
  rmSync(`${file}.acknowledged`);
  const whole = readFileSync(file);
  const seen = new Set<string>();
  for (let position = 0; position < whole.length; position += 1) {
    const flipped = Uint8Array.from(whole);
    flipped[position] = (flipped[position] ?? 0) ^ (1 << (position % 8));
    for (const damaged of [flipped, whole.subarray(0, position)]) {
      writeFileSync(file, damaged);
      const store = await open();
      const left = await texts(store, 'a').catch((error: unknown) => {
        assert.ok(error instanceof Error && 'code' in error && error.code === 'store-corrupt', String(error));
        return undefined;
      });
      seen.add(left === undefined ? 'corrupt' : `${left.length} records`);
      if (left !== undefined) assert.deepEqual(left, all.slice(0, left.length));
      await store.close();
    }
  }
  // The file came with two records: without them it cannot be a write that was cut short.
  assert.deepEqual([...seen].sort(), ['2 records', '3 records', 'corrupt']);
});

test('[FS12] damage that comes while the store is open is found when it is read', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  await begin(store, 'a', ['one', 'two']);
  const file = join(path, 'a', 'log.jsonl');
  const whole = readFileSync(file, 'utf8');
  for (const damage of [whole.replace('two', 'owt'), whole.slice(0, -1)]) {
    writeFileSync(file, damage);
    await assert.rejects(store.read('a', 0), { code: 'store-corrupt' });
  }
});
