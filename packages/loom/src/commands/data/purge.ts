import { planPurge, purgeFolder } from '@loom/data-folder/upkeep';
import type { PurgePlan, PurgeTarget } from '@loom/data-folder/upkeep';
import { inputHistoryFile } from '../../chat/input/input-history.ts';
import { explainArchives } from '../../archive/archive-failure.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { count } from '../../terminal/progress.ts';
import { describeEchoes, describeTexts } from '../../words/purge-words.ts';
import { noteOf, printFolderNews } from '../../runtime/files-note.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import type { OpenedFolder } from '../../runtime/opened-folder.ts';
import { withPresentFolder } from '../../runtime/present-data.ts';
import { findText } from '../../texts/text-place.ts';

/** `loom purge <block>`: makes sure that nothing of what a block or a conversation ever said is left. */
export async function purgeBlocks(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const note = noteOf(terminal, isJson);
  const { plan, texts, echoes } = await withPresentFolder({ dataDir, store }, async (loom) => {
    const target = await findTarget(loom, words);
    // The files are about to be removed, so what was written into them is taken in before.
    const logs = { forest: loom.engine.forest, store: loom.store };
    await openAll(loom, await planPurge(logs, target));
    const made = await planPurge(logs, target);
    const found = await describeEchoes(loom, made, words);
    return { plan: made, texts: await describeTexts(loom, made), echoes: found };
  });
  const { blocks, roots, blobs } = plan;
  const elsewhere = plan.echoes.map(({ root, block, isEarlier }) => ({ root, block, earlier: isEarlier }));
  if (!options.has('yes')) {
    note(`${texts}${echoes}`);
    throw new LoomError('not-confirmed', `nothing was purged; it would be gone for good: ${describe(plan)}`, {
      advice: 'Add --yes to do it. Backups and exports that you have made keep what they have.',
      details: { roots, blocks, elsewhere },
    });
  }
  // What was typed in chats is in their history.
  const purging = { news: printFolderNews, alsoRemoved: [inputHistoryFile] };
  await explainArchives(() => purgeFolder(dataDir, plan, purging));
  // The next command that opens the conversations writes their files again.
  await withWriter({ dataDir, store }, (loom) => openAll(loom, plan));
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, roots, blocks, blobs, elsewhere })}\n`);
  else terminal.out(`Purged ${describe(plan)}. Backups and exports that you have made keep what they have.\n`);
  note(echoes);
  return EXIT.ok;
}

async function findTarget(loom: OpenedFolder, words: readonly string[]): Promise<PurgeTarget> {
  const blocks: string[] = [];
  const roots: string[] = [];
  for (const word of words) {
    const place = word.includes('@') ? undefined : await findPlace(loom, word);
    if (place !== undefined && place.node === place.root) roots.push(place.root);
    else blocks.push((await findText(loom, word, { deleted: true })).id);
  }
  return { blocks, roots };
}

async function openAll(loom: OpenedFolder, { nodes }: PurgePlan): Promise<void> {
  for (const root of nodes.keys()) await loom.open(root);
}

function describe({ roots, blocks, nodes, blobs }: PurgePlan): string {
  const places = [...nodes.values()].reduce((sum, list) => sum + list.length, 0);
  const parts = [
    ...(roots.length === 0 ? [] : [`the whole of ${count(roots.length, 'conversation')} (${roots.join(', ')})`]),
    `${count(blocks.length, 'block')} in ${count(places, 'message')}`,
    ...(blobs.length === 0 ? [] : [count(blobs.length, 'blob')]),
  ];
  return roots.length > 0 ? parts.join(', ') : `${parts.join(', ')} (${blocks.join(', ')})`;
}
