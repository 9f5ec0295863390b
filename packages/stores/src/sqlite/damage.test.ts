import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { RootState } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { damageBytes, damages } from '../testing/damaged-bytes.ts';
import type { Damage } from '../testing/damaged-bytes.ts';
import { openSqliteStore } from './open.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const damageCount = Number(process.env['LOOM_DAMAGES'] ?? 200);

/** The digest of each root that a reader found. */
type Digests = Record<string, string>;

function digestState({ id, title, config, deleted, children, nodes }: RootState): string {
  const all = [...nodes].toSorted(([one], [two]) => (one < two ? -1 : 1));
  const order = [...children].toSorted(([one], [two]) => (one < two ? -1 : 1));
  return createHash('sha256').update(JSON.stringify({ id, title, config, deleted, order, all })).digest('hex');
}

let lastId = 0;
const ids = { next: (): string => `id${(lastId += 1)}` };
const clock = { now: () => 1_700_000_000_000, after: () => () => {} };

async function furnish(directory: string): Promise<void> {
  const store = await openSqliteStore({ directory });
  const forest = new Forest({ store, clock, ids, snapshotEvery: 30 });
  for (const length of [20, 200, 3000]) {
    const created = await forest.createRoot({ agent: 'ann', id: ids.next() });
    if (!created.ok) assert.fail(JSON.stringify(created.refusal));
    const { root } = created.value;
    for (let index = 0; index < 40; index += 1) {
      const text = `${index} `.repeat(length / 4);
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] satisfies [unknown] }];
      assert.ok((await forest.append({ agent: 'ann', id: ids.next() }, root, { parent: root, messages })).ok);
    }
  }
  await forest.saveSnapshots();
  for (const root of await forest.roots()) await forest.log(root).state();
  await store.close();
}

async function readWithKernel(store: Store): Promise<Digests> {
  const forest = new Forest({ store, clock, ids });
  const digests: Digests = {};
  await forest.listRoots();
  for (const root of await forest.roots()) digests[root] = digestState(await forest.log(root).state());
  return digests;
}

/** Reads with a planted fault: leaving out unreadable records shows other data. */
async function readLeniently(store: Store): Promise<Digests> {
  const forest = new Forest({ store, clock, ids, snapshotEvery: Infinity });
  const digests: Digests = {};
  for (const root of await forest.roots()) {
    const state = await forest
      .log(root)
      .state()
      .catch(() => new RootState(root));
    digests[root] = digestState(state);
  }
  return digests;
}

/** Swaps two pages, or applies the named damage to the bytes. */
function damageDatabase(damage: Damage, bytes: Uint8Array, random: () => number): Uint8Array {
  if (damage !== 'swap') return damageBytes(damage, bytes, bytes, random);
  const page = (): number => 1 + Math.floor(random() * (bytes.length / 4096 - 1));
  const [one, two] = [page() * 4096, page() * 4096];
  const swapped = Uint8Array.from(bytes);
  swapped.set(bytes.subarray(one, one + 4096), two);
  swapped.set(bytes.subarray(two, two + 4096), one);
  return swapped;
}

/** Damages a database again and again; returns how often that was noticed, and any wrong data that was shown. */
async function tryDamages(
  directory: string,
  { count, share }: { count: number; share: number },
  read: (store: Store) => Promise<Digests>,
): Promise<{ tried: number; noticed: number; wrong: string[] }> {
  const path = join(directory, 'loom.db');
  const whole = readFileSync(path);
  const sound = await openSqliteStore({ directory });
  const expected = JSON.stringify(await readWithKernel(sound));
  await sound.close();
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const result = { tried: 0, noticed: 0, wrong: new Array<string>() };
  for (const index of rounds((done) => done >= count, share)) {
    result.tried = index;
    const damage = damages[index % damages.length] ?? 'flip';
    for (const name of readdirSync(directory))
      if (name !== 'loom.db') rmSync(join(directory, name), { recursive: true });
    writeFileSync(path, damageDatabase(damage, whole, random));
    let store: Store | undefined;
    try {
      store = await openSqliteStore({ directory });
      const found = JSON.stringify(await read(store));
      if (found !== expected) result.wrong.push(`${damage} ${index}: ${found.slice(0, 80)}`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      result.noticed += 1;
    }
    await store?.close();
  }
  return result;
}

test('[SQ9] [SQ28] whatever happens to the bytes of the database: it is noticed, or nothing else is shown than there was', async (t) => {
  const { path } = temporaryDirectory(t);
  await furnish(path);
  const { tried, noticed, wrong } = await tryDamages(path, { count: damageCount, share: 1 }, readWithKernel);
  tellTried(t, tried, `damages, ${noticed} noticed, the others without effect`);
  assert.deepEqual(wrong, []);
  assert.ok(tried < 100 || noticed > tried / 4);
});

test('[SQ28] a reader that leaves out what it cannot read is found out', async (t) => {
  const { path } = temporaryDirectory(t);
  await furnish(path);
  const { wrong } = await tryDamages(path, { count: 120, share: Infinity }, readLeniently);
  assert.notDeepEqual(wrong, []);
});
