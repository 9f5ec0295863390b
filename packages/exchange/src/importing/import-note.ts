import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { exportedAs } from '@loom/kernel/logs';

/**
 * The importers' part of a node's note. `keys`: the imported blocks by their names in the source, which stay after a user has removed a block.
 * `exported`: the node's names in files that Loom wrote for other programs. `lines`: the places of the lines that were read. `grown`: blocks whose
 * texts grew in their source, with their versions at that time. `above`: its parent in the source, if that was missing when the node came. `ends`:
 * the lines after it that are not messages.
 */
export type Keys = ReadonlyMap<string, string | undefined>;

/** Returns the note of a new node. A node whose only block has its name needs none. */
export function importNote(id: string, keys: ReadonlyMap<string, string>, above?: string): PlainObject | undefined {
  if (above !== undefined) return { keys: Object.fromEntries(keys), above };
  return keys.size === 1 && keys.has(id) ? undefined : { keys: Object.fromEntries(keys) };
}

/** The note of a node that has gained blocks. */
export function joinNote(node: NodeState, keys: ReadonlyMap<string, string>): PlainObject {
  const before = node.note?.['keys'];
  const known = isPlainObject(before) ? before : firstKey(node);
  return { ...node.note, keys: { ...known, ...Object.fromEntries(keys) } };
}

/** The note of a node whose blocks have become longer in their source. */
export function withGrown(note: PlainObject | undefined, blocks: readonly MessageBlock[]): PlainObject {
  const before = note?.['grown'];
  const grown = blocks.map(({ block_id: id = '', version = 1 }) => [id, version + 1]);
  return { ...note, grown: { ...(isPlainObject(before) ? before : {}), ...Object.fromEntries(grown) } };
}

/** Returns true if a block of a node is as its source has it: unchanged by users. */
export function isAsItCame({ note }: NodeState, { block_id: id = '', version }: MessageBlock): boolean {
  const grown = note?.['grown'];
  return version === (isPlainObject(grown) && grown[id] !== undefined ? grown[id] : 1);
}

/** Returns the blocks of a node that are known in a source, with their ids if these are known. */
export function keysOf(node: NodeState, source: string): Keys {
  const all = new Map<string, string | undefined>();
  for (const key of exportedAs(node, source)?.keys ?? []) all.set(key, undefined);
  if (node.origin?.source !== source) return all;
  const keys = node.note?.['keys'];
  const known = isPlainObject(keys) ? keys : firstKey(node);
  for (const [key, block] of Object.entries(known)) all.set(key, typeof block === 'string' ? block : undefined);
  return all;
}

/** A verbatim piece of a file that was read. */
export interface KeptLines {
  blob: string;
  bytes: number;
}

export function keptLinesOf({ note }: Pick<NodeState, 'note'>): KeptLines[] {
  const lines = note?.['lines'];
  if (!Array.isArray(lines)) return [];
  return lines.flatMap((entry: unknown) =>
    isPlainObject(entry) && typeof entry['blob'] === 'string' && typeof entry['bytes'] === 'number'
      ? [{ blob: entry['blob'], bytes: entry['bytes'] }]
      : [],
  );
}

/** Returns true if the lines of a conversation were purged: they must not come back. */
export function hasPurgedLines({ note }: Pick<NodeState, 'note'>): boolean {
  return note?.['lines'] === 'purged';
}

/** Returns true if a version of Loom that marked no blocks purged something in a node. */
export function hasUnmarkedPurge({ note }: Pick<NodeState, 'note'>): boolean {
  return note?.['lines'] === 'purged' && note['marked'] !== true;
}

/**
 * Returns the key of a node without keys: that of its only imported block, unless users have removed it. They may have put others before it, and
 * merged some into it.
 */
function firstKey({ origin, blocks }: NodeState): PlainObject {
  if (origin === undefined) return {};
  const own = blocks.find(({ block_id: id, from }) => from === undefined && id?.includes('/@import:') === true);
  return { [origin.id]: own?.block_id ?? null };
}

/** Returns the parent of a node in its source, if that was missing when the node came. */
export function missingAbove({ note }: NodeState): string | undefined {
  const above = note?.['above'];
  return typeof above === 'string' ? above : undefined;
}

/** Returns the lines after a node that are not messages. */
export function endsOf({ note }: NodeState): string[] {
  const ends = note?.['ends'];
  return Array.isArray(ends) ? ends.filter((line) => typeof line === 'string') : [];
}
