// The time of the first edit of a text after a restart, when its document has to be made of all edits in the log, beside bare Yjs that gets
// their updates one by one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as Y from 'yjs';
import { Forest, rootCodec } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import type { Store } from '@loom/kernel/store';
import { machineClock as clock, printRatio } from './measure.ts';

const limit = 2;
const rounds = 5;
const none = { bare: Number.NaN, loom: Number.NaN };

/** Prints the ratio for the one conversation of a store, which holds one text. */
export async function measureFirstEdit(store: Store): Promise<void> {
  const [root = ''] = (await store.logs()).filter((name) => name.startsWith('root-'));
  const updates = await updatesOf(store, root);
  const pairs: { bare: number; loom: number }[] = [];
  let longest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const bare = replayBare(updates);
    const loom = await editFirst(store, root, `first edit ${round}`);
    pairs.push({ bare, loom: loom.milliseconds });
    longest = Math.max(longest, loom.longest);
  }
  // A round is compared with itself: the machine is now slower, now faster, for both.
  const { bare, loom } = pairs.toSorted((a, b) => a.loom / a.bare - b.loom / b.bare)[Math.floor(rounds / 2)] ?? none;
  printRatio('  its first edit after a restart ÷ bare Yjs that is told the updates', loom, bare, limit);
  console.log(`    meanwhile nothing else waited for longer than ${Math.round(longest)} ms`);
}

async function updatesOf(store: Store, root: string): Promise<Uint8Array[]> {
  const { records } = (await store.read(root, 0)) ?? { records: [] };
  return records
    .flatMap(({ text }) => rootCodec.decode(text))
    .flatMap(({ ops }) => ops.flatMap((op) => (op.type === 'text' && op.update !== undefined ? [op.update] : [])))
    .map((update) => Uint8Array.from(Buffer.from(update, 'base64')));
}

function replayBare(updates: readonly Uint8Array[]): number {
  const doc = new Y.Doc({ gc: false });
  const begun = performance.now();
  for (const update of updates) Y.applyUpdate(doc, update);
  return performance.now() - begun;
}

async function editFirst(store: Store, root: string, id: string): Promise<{ milliseconds: number; longest: number }> {
  const ids = { next: () => id };
  const tools = new BlockTools({ forest: new Forest({ store, clock, ids }), ids });
  const [block] = await tools.list({ parent_id: root }).then((listed) => ('refusal' in listed ? [] : listed));
  const block_id = block?.block_id ?? '';
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  const answer = await tools.splice({ agent: 'person', id }, { block_id, offset: 0, delete_count: 0, insert: 'x' });
  const milliseconds = performance.now() - begun;
  delay.disable();
  if ('refusal' in answer) throw new Error(JSON.stringify(answer.refusal));
  return { milliseconds, longest: delay.max / 1e6 };
}
