import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rewriteLogFiles } from '@loom/stores/files';
import { forgetFiles } from '@loom/stores/node-files';
import { rewriteLogs } from '@loom/stores/sqlite';
import { explainArchives } from '../archive/archive-failure.ts';
import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LoomError } from '../failure.ts';
import { planPurge } from '../purge/purge-plan.ts';
import type { PurgePlan } from '../purge/purge-plan.ts';
import { findStore } from '../runtime/data-store.ts';
import { withWriter } from '../runtime/open-loom.ts';
import type { Loom } from '../runtime/open-loom.ts';
import { withPresentData } from '../runtime/present-data.ts';
import { asOnlyWriter } from '../runtime/writer-lock.ts';
import { findText } from '../texts/text-place.ts';

/** `loom purge <block>`: makes sure that nothing of what a block ever said is left. */
export async function purgeBlocks({ words, options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const plan = await withPresentData({ dataDir, store }, async (loom) => {
    const named: string[] = [];
    for (const word of words) named.push((await findText(loom, word, { deleted: true })).id);
    // The files are about to be removed, so what somebody has written into them is taken in before.
    await openAll(loom, await planPurge(loom, named));
    return planPurge(loom, named);
  });
  if (!options.has('yes')) {
    throw new LoomError('not-confirmed', `nothing was purged; it would be gone for good: ${describe(plan)}`, {
      advice: 'Add --yes to do it. Backups and exports that you have made keep what they have.',
      details: { blocks: plan.blocks },
    });
  }
  await explainArchives(() => carryOut(dataDir, plan));
  // Whoever opens the conversations writes their files again.
  await withWriter({ dataDir, store }, (loom) => openAll(loom, plan));
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, blocks: plan.blocks, blobs: plan.blobs })}\n`);
  else terminal.out(`Purged ${describe(plan)}. Backups and exports that you have made keep what they have.\n`);
  return EXIT.ok;
}

/** Files first: one that says more than its log would be taken for an edit by hand, should this be cut short. */
async function carryOut(dataDir: string, plan: PurgePlan): Promise<void> {
  await asOnlyWriter(dataDir, { holder: `purge-${process.pid}` }, async () => {
    for (const [root, nodes] of plan.nodes) await forgetFiles(dataDir, root, nodes);
    for (const name of await readdir(dataDir)) {
      // The index of the search knows the words of all texts, and is made again.
      if (name.startsWith('loom.db-search')) await rm(join(dataDir, name), { recursive: true, force: true });
    }
    if ((await findStore(dataDir)) === 'files') await rewriteLogFiles(dataDir, plan.logs);
    else rewriteLogs(dataDir, plan.logs);
    for (const blob of plan.blobs) await rm(join(dataDir, 'blobs', blob.replace('sha256:', '')), { force: true });
  });
}

async function openAll(loom: Loom, { nodes }: PurgePlan): Promise<void> {
  for (const root of nodes.keys()) await loom.open(root);
}

function describe({ blocks, nodes, blobs }: PurgePlan): string {
  const places = [...nodes.values()].reduce((sum, list) => sum + list.length, 0);
  const parts = [
    `${blocks.length} block${blocks.length === 1 ? '' : 's'} in ${places} message${places === 1 ? '' : 's'}`,
    ...(blobs.length === 0 ? [] : [`${blobs.length} blob${blobs.length === 1 ? '' : 's'}`]),
  ];
  return `${parts.join(', ')} (${blocks.join(', ')})`;
}
