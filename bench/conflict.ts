// The cost to a writer of being overtaken in a long conversation, in CPU time: against opening the conversation from its snapshot, and
// against reading and applying the other writer's changes, as the next 64 batches do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import type { RootLog } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { openSqliteStore } from '@loom/stores/sqlite';
import { machineClock as clock, median, printHeader, printRatio } from './measure.ts';
import { SampleText } from './sample-text.ts';

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-conflict-'));
// Fewer for a quick look: node bench/conflict.ts 1000
const changes = Number(process.argv[2] ?? 10_000);
const rounds = 7;
const store: Store = await openSqliteStore({ directory });
let lastId = 0;
const next = (): string => String((lastId += 1)).padStart(26, '0');
const request = (): { agent: string; id: string } => ({ agent: 'person', id: next() });

function openForest(): Forest {
  return new Forest({ store, clock, ids: { next } });
}

async function retitle(log: RootLog): Promise<void> {
  const title = next();
  const done = await log.append(request(), z.string(), () => ({
    ok: true,
    ops: [{ type: 'root-changed', title }],
    value: title,
  }));
  if (!done.ok) throw new Error(JSON.stringify(done.refusal));
}

/** The CPU time of this process, in milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

async function grow(forest: Forest): Promise<string> {
  const created = await forest.createRoot(request());
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  const { root } = created.value;
  const sample = new SampleText(1);
  let parent = root;
  for (let written = 1; written < changes; written += 1) {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: sample.block(400) }] }];
    const added = await forest.append(request(), root, { parent, messages });
    if (!added.ok) throw new Error(JSON.stringify(added.refusal));
    parent = added.value.nodes.at(-1) ?? parent;
  }
  await forest.log(root).saveSnapshot();
  return root;
}

// Writers are not notified of each other's changes: as between processes, where notices come late.
store.listen = () => () => {};
try {
  printHeader('conflict');
  const root = await grow(openForest());
  const solo = openForest().log('alone');
  await retitle(solo);
  const opened: number[] = [];
  const overtaken: number[] = [];
  const looked: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [one, other] = [openForest().log(root), openForest().log(root)];
    opened.push(await cpuOf(() => one.state()));
    await retitle(one);
    await retitle(other);
    overtaken.push(await cpuOf(() => retitle(one)));
    await retitle(other);
    looked.push(await cpuOf(() => retitle(one)));
    alone.push(await cpuOf(() => retitle(solo)));
  }
  console.log(`  a conversation of ${changes} changes; ${rounds} rounds, the middle one of each`);
  printRatio('a write that is overtaken ÷ opening from the snapshot', median(overtaken), median(opened));
  printRatio('a write that is overtaken ÷ one that looks first', median(overtaken), median(looked));
  printRatio('a write that looks first ÷ one that is alone', median(looked), median(alone));
} finally {
  await store.close();
  rmSync(directory, { recursive: true });
}
