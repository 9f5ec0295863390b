import { createHash } from 'node:crypto';
import { isPurged, looksMasked, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { ForeignBlock } from '../../foreign/foreign.ts';
import { hasPurgedLines, isAsItCame } from '../import-note.ts';
import type { Keys } from '../import-note.ts';

/**
 * Returns the keys of existing blocks whose content differs here. A text that is the beginning of the other does not differ: it is an earlier state.
 * Blocks that users have changed since, or that were purged, are not compared. Keys of blocks that may have been purged are `withheld`.
 */
export function keysWithOtherWords(
  known: NodeState,
  blocks: readonly ForeignBlock[],
  taken: Keys,
  purges: Purges,
): OtherKeys {
  const found: OtherKeys = { others: [], withheld: [] };
  if (!blocks.some(({ key }) => taken.has(key))) return found;
  const there = new Map(known.blocks.map((block) => [block.block_id, block]));
  for (const { key, block } of blocks) {
    const before = there.get(taken.get(key));
    if (before === undefined || !isAsItCame(known, before)) continue;
    if (!saysOther(before, block) || goesOn(block, before)) continue;
    if (!mayBePurged(before, purges)) found.others.push(key);
    else if (!isPurged(before) && !hasPurgedLines(known)) found.withheld.push(key);
  }
  return found;
}

/** The keys of blocks that differ, and of those that may differ. */
export interface OtherKeys {
  readonly others: string[];
  readonly withheld: string[];
}

/**
 * The purges that a conversation may have had: only `marked` ones, or none at all, so that every purged block says so; or `unmarked` ones, by a
 * version of Loom that marked no blocks.
 */
export type Purges = 'marked' | 'unmarked';

/** Returns true if the text of a block may have been removed for good. If purges are marked, a text of `█` comes from its source. */
function mayBePurged(block: MessageBlock, purges: Purges): boolean {
  return isPurged(block) || (purges === 'unmarked' && looksMasked(block));
}

/** An existing block that its source has made longer since. */
export interface GrownBlock {
  readonly key: string;
  readonly before: MessageBlock;
  readonly now: MessageBlock;
}

/** Returns the blocks of a message whose texts have become longer. Users' changes stay. */
export function grownBlocks(
  known: NodeState,
  blocks: readonly ForeignBlock[],
  taken: Keys,
  purges: Purges,
): GrownBlock[] {
  return blocks.flatMap(({ key, block: now }) => {
    const id = taken.get(key);
    const before = id === undefined ? undefined : known.blocks.find(({ block_id: other }) => other === id);
    if (before === undefined || !isAsItCame(known, before) || mayBePurged(before, purges)) return [];
    return goesOn(before, now) && saysOther(before, now) ? [{ key, before, now }] : [];
  });
}

/** Returns true if a text begins with all of another one. */
function goesOn(before: MessageBlock, now: MessageBlock): boolean {
  switch (before.type) {
    case 'text':
    case 'thinking':
      return now.type === before.type && now.text.startsWith(before.text);
    default:
      return false;
  }
}

/** Returns a block whose key is already taken under a new key, as a raw block that models are not shown. The same content gets the same key. */
export function keptBeside({ key, block }: ForeignBlock, source: string): ForeignBlock {
  const name = createHash('sha256').update(JSON.stringify(block)).digest('hex').slice(0, 16);
  return { key: `${key}~${name}`, block: { type: 'raw', source, value: block } };
}

/**
 * Returns the line that a block came with: its key without the number in the line. If the rest is the name of the conversation, the number is that of
 * the line, and stays.
 */
export function lineOf(key: string, conversation: string): string {
  const line = key.replace(/#\d+$/u, '');
  return line === conversation ? key : line;
}

/** Returns true if the content differs. The reader's own additions (views, kinds that were once unknown) may differ between versions of Loom. */
function saysOther(before: MessageBlock, now: MessageBlock): boolean {
  switch (before.type) {
    case 'text':
    case 'thinking':
      return now.type !== before.type || now.text !== before.text;
    case 'tool-use':
      return now.type !== 'tool-use' || now.name !== before.name || !stableDeepEqual(now.parameters, before.parameters);
    case 'image':
      return now.type !== 'image' || now.blob !== before.blob || now.url !== before.url;
    default:
      return false;
  }
}
