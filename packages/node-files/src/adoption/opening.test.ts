import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Forest } from '@loom/kernel/logs';
import { passOn } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { FileLedger, sumOf } from '../file-ledger.ts';
import { NodeFiles } from '../node-files.ts';
import { makeDirectory, makeForest, rootOf, stillClock } from '../testing/legacy-directory.ts';
import { openAdoptingStore } from './adopting-store.ts';

test('[NA32] where all is in the logs, neither the list that Loom wrote is read nor a change that a snapshot holds', async (t) => {
  const directory = makeDirectory(t, {});
  const memory = createMemoryStore();
  const reads: number[] = [];
  const store: Store = {
    ...passOn(memory),
    capabilities: { durable: true, shared: true },
    read(log, afterSeq, throughSeq) {
      if (log === 'forest' && throughSeq !== 1) reads.push(afterSeq);
      return memory.read(log, afterSeq, throughSeq);
    },
  };
  const forest = new Forest({ store, clock: stillClock, ids: { next: randomUUID }, snapshotEvery: 1 });
  for (const id of ['one', 'two', 'three']) await forest.createRoot({ agent: 'anna', id }, {});
  const files = await NodeFiles.open({ directory, forest, store, clock: stillClock });
  for (const root of await forest.roots()) await files.checkRoot(root);
  await files.flush();
  await files.close();
  await forest.saveSnapshots();
  // A root of this name can be found only by reading the list.
  const list = join(directory, 'roots.json');
  writeFileSync(list, JSON.stringify([rootOf('root-9', [])]));
  const ledger = await FileLedger.load(store, 'forest');
  const sum = sumOf(readFileSync(list));
  ledger.put('roots.json', { sum, size: 0, mtime: 0, seq: 0, links: '' });
  await ledger.save(0, { whole: true });
  reads.length = 0;
  await openAdoptingStore({ directory, store, clock: stillClock });
  assert.equal((await makeForest(store).roots()).length, 3);
  assert.ok(reads.length > 0 && !reads.includes(0), `read after ${reads.join(', ')}`);

  writeFileSync(list, JSON.stringify([rootOf('root-9', []), rootOf('root-8', [])]));
  await openAdoptingStore({ directory, store, clock: stillClock });
  assert.deepEqual((await makeForest(store).roots()).slice(3), ['root-9', 'root-8']);
});
