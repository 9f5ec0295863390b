import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '@loom/kernel/testing';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { openFileSystemStore } from '../index.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

test('[FS14] a projection is a file of sealed JSON lines beside its log', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one', 'two']);
  const put = [{ key: 'x', text: 'y\n' }];
  await store.writeProjection('a', 'node files', { epoch, seq: 1, base: undefined, put, drop: [] });
  await store.writeProjection('a', 'node files', { epoch, seq: 2, base: 1, put: [], drop: ['x'] });
  const lines = readFileSync(join(path, 'a', 'projection-node%20files.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const named = { format: 1, name: 'node files', epoch };
  assert.deepEqual(
    lines.map((line): unknown => JSON.parse(line.replace(/"crc":"[0-9a-f]{8}"/u, '"crc":""'))),
    [
      { crc: '', ...named, seq: 1, base: null, lines: 1 },
      { crc: '', ...put[0] },
      { crc: '', ...named, seq: 2, base: 1, lines: 1 },
      { crc: '', drop: 'x' },
    ],
  );
});

test('[FS14] it is rewritten when most of it is out of date', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  let base: number | undefined;
  for (let index = 0; index < 500; index += 1) {
    const put = [{ key: `${index % 3}`, text: `${index}` }];
    assert.equal(await store.writeProjection('a', 'state', { epoch, seq: 1, base, put, drop: [] }), true);
    base = 1;
  }
  const size = readFileSync(join(path, 'a', 'projection-state.jsonl'), 'utf8').split('\n').length;
  assert.ok(size < 150, `${size} lines`);
  const expected = ['498', '499', '497'].map((text, index) => ({ key: `${index}`, text }));
  assert.deepEqual((await store.readProjection('a', 'state'))?.parts, expected);
});

test('[FS15] [ST37] cut anywhere or with a byte changed, a projection is what some write left or absent, and is made again', async (t) => {
  const { path, open } = temporaryStore(t);
  const first = await open();
  const epoch = await begin(first, 'a', ['one', 'two', 'three']);
  const file = join(path, 'a', 'projection-state.jsonl');
  const put = ['x', 'y'].map((key) => ({ key, text: key }));
  const states: string[] = [];
  let base: number | undefined;
  for (const seq of [1, 2, 3]) {
    await first.writeProjection('a', 'state', { epoch, seq, base, put: put.slice(seq - 2), drop: [] });
    states.push(JSON.stringify(await first.readProjection('a', 'state')));
    base = seq;
  }
  await first.close();
  const bytes = readFileSync(file);
  const places = Array.from(bytes.keys()).filter((at) => at % 5 === 0 || bytes[at - 1] === 0x0a);
  const damages = [
    ...places.map((length) => bytes.subarray(0, length)),
    ...places.map((at) => Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1)),
  ];
  let older = 0;
  for (const damage of damages) {
    writeFileSync(file, damage);
    const store = await open();
    const found = await store.readProjection('a', 'state');
    if (found !== undefined) {
      older += 1;
      assert.ok(states.includes(JSON.stringify(found)));
    }
    const again = await store.writeProjection('a', 'state', { epoch, seq: 3, base: found?.seq, put, drop: [] });
    assert.equal(again, true);
    assert.deepEqual((await store.readProjection('a', 'state'))?.parts, put);
    await store.close();
  }
  assert.equal(older, 2, 'a cut between two writes');
});

test('[FS15] a file that is removed under an open store takes nothing with it', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  const whole = { epoch, seq: 1, base: undefined, put: [{ key: 'x', text: 'y' }], drop: [] };
  await store.writeProjection('a', 'state', whole);
  rmSync(join(path, 'a', 'projection-state.jsonl'));
  assert.equal(await store.writeProjection('a', 'state', { ...whole, base: 1 }), false);
  assert.equal(await store.readProjection('a', 'state'), undefined);
  assert.equal(await store.writeProjection('a', 'state', whole), true);
  assert.deepEqual((await store.readProjection('a', 'state'))?.parts, whole.put);
  await store.append('a', request(epoch, 1, ['two']));
  assert.deepEqual(await texts(store, 'a'), ['one', 'two']);
});

test('[FS14] a projection that was written whole is there after a power cut', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const disk = new SimulatedFiles(seededRandom(seed));
    const store = await openFileSystemStore({ directory: '/data', files: disk.boot() });
    const epoch = await begin(store, 'a', ['one']);
    for (const text of ['first', 'second']) {
      const put = [{ key: 'k', text }];
      assert.ok(await store.writeProjection('a', 'p', { epoch, seq: 1, base: undefined, put, drop: [] }));
    }
    disk.cutPower();
    const again = await openFileSystemStore({ directory: '/data', files: disk.boot() });
    assert.deepEqual((await again.readProjection('a', 'p'))?.parts, [{ key: 'k', text: 'second' }]);
  }
});
