import { readHistory } from './history-reading.ts';
import type { Ask, Version } from './history-reading.ts';

interface Flip {
  readonly block: string;
  /** The versions that the edits made. */
  readonly versions: ReadonlySet<number>;
  readonly how: 'undo' | 'redo';
}

/**
 * Takes back the edits that made some versions, or brings them back, and leaves everything else as it is. Several versions may be of one edit,
 * such as a burst of typing: after each the states of the others are read again. Returns the number of edits.
 */
export async function flipEdits(ask: Ask, { block, versions, how }: Flip): Promise<number> {
  const since = Math.min(...versions) - 1;
  const isDue = ({ version, edit }: Version): boolean =>
    versions.has(version) && edit === (how === 'undo' ? 'done' : 'undone');
  let last: number | undefined;
  for (let count = 0; ; count += 1) {
    const due = (await readHistory(ask, block, since)).filter(isDue);
    // The newest first when they are taken back, the oldest first when they come again.
    const next = (how === 'undo' ? due.at(-1) : due[0])?.version;
    if (next === undefined || next === last) return count;
    last = next;
    await ask(`block.${how}`, { block_id: block, version: next });
  }
}
