import type { ResultOf } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { count } from '../../terminal/progress.ts';
import { describeEchoes, describeTexts } from '../../words/purge-words.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { findText } from '../../texts/text-place.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom purge <block>`: erases everything that a block or a conversation ever said. */
export function purgeBlocks(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const note = noteOf(terminal, isJson);
  return withPresentData({ dataDir, store }, async (loom) => {
    const target = await findTarget(loom, words);
    const plan = orFail(await loom.call('block.purge', target));
    const texts = await describeTexts(loom, plan);
    const echoes = await describeEchoes(loom, plan, words);
    const { blocks, roots, blobs } = plan;
    const elsewhere = plan.elsewhere.map(({ words: _words, ...place }) => place);
    if (!options.has('yes')) {
      note(`${texts}${echoes}`);
      throw new LoomError('not-confirmed', `nothing was purged; it would be gone for good: ${describe(plan)}`, {
        advice: 'Add --yes to do it. Backups and exports that you have made keep what they have.',
        details: { roots, blocks, elsewhere },
      });
    }
    const { unread = [] } = orFail(await loom.call('block.purge', { ...target, confirmed: true }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, roots, blocks, blobs, elsewhere })}\n`);
    else terminal.out(`Purged ${describe(plan)}. Backups and exports that you have made keep what they have.\n`);
    note(`${echoes}${describeUnread(unread)}`);
    return EXIT.ok;
  });
}

async function findTarget(loom: Loom, words: readonly string[]): Promise<{ blocks: string[]; roots: string[] }> {
  const blocks: string[] = [];
  const roots: string[] = [];
  for (const word of words) {
    const place = word.includes('@') ? undefined : await findPlace(loom, word);
    if (place !== undefined && place.node === place.root) roots.push(place.root);
    else blocks.push((await findText(loom, word, { deleted: true })).id);
  }
  return { blocks, roots };
}

function describe({ roots, blocks, messages, blobs }: ResultOf<'block.purge'>): string {
  const parts = [
    ...(roots.length === 0 ? [] : [`the whole of ${count(roots.length, 'conversation')} (${roots.join(', ')})`]),
    `${count(blocks.length, 'block')} in ${count(messages, 'message')}`,
    ...(blobs.length === 0 ? [] : [count(blobs.length, 'blob')]),
  ];
  return roots.length > 0 ? parts.join(', ') : `${parts.join(', ')} (${blocks.join(', ')})`;
}

function describeUnread(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  return `${count(unread.length, 'conversation')} could not be read, and may say the same: ${unread.join(', ')}\n`;
}
