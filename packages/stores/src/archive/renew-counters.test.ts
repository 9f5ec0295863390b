import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { createMemoryStore } from '../memory/index.ts';
import { renewCounters } from './index.ts';
import { Gardener, growStore } from './testing/grown-store.ts';
import { archiveOf, take } from './testing/store-contents.ts';

/** Everything that was ever given a name in a root: nodes and blocks. */
async function idsOf(gardener: Gardener, root: string): Promise<Set<string>> {
  const { nodes } = await gardener.forest.log(root).state();
  const blocks = [...nodes.values()].flatMap((node) => node.blocks.map(({ block_id: id = '' }) => id));
  return new Set([...nodes.keys(), ...blocks]);
}

async function restored(lines: readonly string[], id: string): Promise<Store> {
  const store = createMemoryStore();
  await take(store, lines);
  await renewCounters({ store, id });
  return store;
}

/** Adds a few messages, some by people who were not there before, and returns the new ids. */
async function goOn(store: Store, root: string, name = 'later'): Promise<{ ids: Set<string>; client: number }> {
  const gardener = new Gardener(store, name);
  const before = await idsOf(gardener, root);
  for (const [index, agent] of ['person', 'anna', 'person'].entries()) {
    await gardener.say(root, root, `${name} ${index}`, agent);
  }
  return { ids: (await idsOf(gardener, root)).difference(before), client: await gardener.addClient(root) };
}

test('[AR16] what is restored from a backup never gives out an id again that was given out after it', async () => {
  const source = createMemoryStore();
  const { gardener, roots } = await growStore(source);
  const [root = '', other = ''] = roots;
  // She has written in one conversation by the time of the backup, and begins to in another one later.
  await gardener.say(other, other, 'me, too', 'anna');
  const lines = await archiveOf(source);
  const lost = await goOn(source, root);
  const once = await restored(lines, '1');
  const again = await goOn(once, root);
  assert.equal(lost.ids.size, 6);
  assert.deepEqual(lost.ids.intersection(again.ids), new Set());
  assert.ok(again.client >= lost.client + 9_000);
  // Restored from a restored store: further again.
  const twice = await goOn(await restored(await archiveOf(once), '2'), root, 'latest');
  for (const earlier of [lost, again]) {
    assert.deepEqual(earlier.ids.intersection(twice.ids), new Set());
    assert.ok(twice.client > earlier.client);
  }
});

test('[AR16] without the renewal ids come again, which the comparison finds', async () => {
  const source = createMemoryStore();
  const { roots } = await growStore(source);
  const [root = ''] = roots;
  const lines = await archiveOf(source);
  const lost = await goOn(source, root);
  const store = createMemoryStore();
  await take(store, lines);
  assert.ok((await goOn(store, root)).ids.intersection(lost.ids).size > 0);
});

test('[AR16] every log that is restored has a new epoch, and looks as it did', async () => {
  const source = createMemoryStore();
  const { gardener, roots } = await growStore(source);
  const store = await restored(await archiveOf(source), '1');
  const after = new Gardener(store, 'after');
  for (const root of [...roots, 'forest']) {
    assert.notEqual((await store.read(root, 0))?.epoch, (await source.read(root, 0))?.epoch);
  }
  const shown = async ({ forest }: Gardener): Promise<unknown> =>
    (await forest.listRoots()).map(({ id, nodes, config, updated }) => ({ id, nodes, config, updated }));
  assert.deepEqual(await shown(after), await shown(gardener));
});
