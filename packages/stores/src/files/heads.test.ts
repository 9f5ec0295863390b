import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ListedLog, Store } from '@loom/kernel/store';
import { machineFiles } from '../disk/machine-files.ts';
import { request } from '../testing/writer.ts';
import { openFileSystemReader, openFileSystemStore } from './index.ts';
import { RecentFiles } from './recent-files.ts';
import { temporaryStore } from './testing/temporary-store.ts';

const head = { time: 7, text: '{"title":"of a"}' };
const all = (store: Store): Promise<ListedLog[]> => store.heads({ order: 'newest', limit: 100 });

async function beginWithHead(store: Store): Promise<string> {
  const begun = await store.append('a', { ...request(undefined, 0, ['one']), head });
  assert.ok(begun.ok);
  assert.ok((await store.append('a', { ...request(begun.epoch, 1, ['two']), head: 'same' })).ok);
  return begun.epoch;
}

test('[FS26] a head whose note is older than its log, damaged or gone is none, and the next append writes another', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await beginWithHead(store);
  const note = join(path, 'a', 'log.jsonl.acknowledged');
  const older = readFileSync(note);
  assert.ok(older.includes('of a'));
  assert.ok((await store.append('a', { ...request(epoch, 2, ['three']), head: 'same' })).ok);
  await store.close();
  const newest = readFileSync(note);
  const line = newest.indexOf('\n') + 1;
  const flipped = Uint8Array.from(newest);
  flipped[line + 40] = (flipped[line + 40] ?? 0) ^ 1;
  const damages = [
    older,
    newest.subarray(0, line),
    newest.subarray(0, -5),
    flipped,
    Buffer.concat([older.subarray(0, older.indexOf('\n') + 1), newest.subarray(line)]),
  ];
  for (const damage of damages) {
    writeFileSync(note, damage);
    assert.deepEqual(await all(openFileSystemReader({ directory: path })), [{ log: 'a' }]);
  }
  rmSync(note);
  const after = await open();
  assert.deepEqual(await all(after), [{ log: 'a' }]);
  assert.ok((await after.append('a', { ...request(epoch, 3, ['four']), head: 'same' })).ok);
  assert.deepEqual(await all(after), [{ log: 'a' }], 'none stays none');
  assert.ok((await after.append('a', { ...request(epoch, 4, ['five']), head })).ok);
  await after.close();
  assert.deepEqual(await all(await open()), [{ log: 'a', head }]);
});

test('[FS26] listing reads no log, also after a fold, and costs no sync', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await beginWithHead(store);
  await store.fold('a', { epoch, first: 1, record: { seq: 2, text: 'both' } });
  await store.close();
  const { length } = readFileSync(join(path, 'a', 'log.jsonl'));
  let read = 0;
  const files = {
    ...machineFiles,
    read: async (file: string, from?: number, to?: number): Promise<Uint8Array> => {
      const bytes = await machineFiles.read(file, from, to);
      if (file.endsWith('log.jsonl')) read += bytes.length;
      return bytes;
    },
    open: (): never => assert.fail('nothing is opened to be synced'),
  };
  const listing = await openFileSystemStore({ directory: path, files });
  assert.deepEqual(await all(listing), [{ log: 'a', head }]);
  assert.ok(read < 10 && length > 100, `${read} bytes of ${length} were read`);
  await listing.close();
});

test('[FS27] files that are at work stay, and of the others those that were used last', () => {
  const busy = new Set<string>();
  const files = new RecentFiles<{ key: string; isIdle: boolean }>(3);
  const get = (key: string): { key: string } =>
    files.get(key, () => ({
      key,
      get isIdle(): boolean {
        return !busy.has(key);
      },
    }));
  busy.add('a');
  const [a, b] = [get('a'), get('b')];
  for (const key of ['c', 'd', 'e']) get(key);
  assert.equal(files.size, 3);
  assert.equal(get('a'), a);
  assert.notEqual(get('b'), b);
});
