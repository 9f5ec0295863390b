import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { exportedAs } from '@loom/kernel/logs';

/**
 * What importers keep in the note of a node: `keys` are the blocks that were taken in, by what they are called in the source, so that they are known even after
 * a person has taken one out; `exported` is what a node is called in files that Loom wrote for other programs; `lines` is where the
 * lines are that were read; `grown` are blocks whose texts became longer where they came from, with the versions that they had then; `above` is what is above it and was not there when it came; `ends` are lines behind it that are no messages.
 */
export type Keys = ReadonlyMap<string, string | undefined>;

/** The note of a new node. One whose only block has its name needs none. */
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

/** Whether a block of a node is as its source has it: people have not changed it. */
export function isAsItCame({ note }: NodeState, { block_id: id = '', version }: MessageBlock): boolean {
  const grown = note?.['grown'];
  return version === (isPlainObject(grown) && grown[id] !== undefined ? grown[id] : 1);
}

/** The blocks of a node that are known in a source, with their ids where these are known. */
export function keysOf(node: NodeState, source: string): Keys {
  const all = new Map<string, string | undefined>();
  for (const key of exportedAs(node, source)?.keys ?? []) all.set(key, undefined);
  if (node.origin?.source !== source) return all;
  const keys = node.note?.['keys'];
  const known = isPlainObject(keys) ? keys : firstKey(node);
  for (const [key, block] of Object.entries(known)) all.set(key, typeof block === 'string' ? block : undefined);
  return all;
}

/** A piece of a file that was read, as it came. */
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

/** Whether the lines of a conversation were purged: they are not to come back. */
export function hasPurgedLines({ note }: Pick<NodeState, 'note'>): boolean {
  return note?.['lines'] === 'purged';
}

/** Tells whether a node had something purged by a version of Loom that marked no blocks. */
export function hasUnmarkedPurge({ note }: Pick<NodeState, 'note'>): boolean {
  return note?.['lines'] === 'purged' && note['marked'] !== true;
}

/** What a node without keys was imported with: its only block, unless people have taken that out. They may have put others before it, and merged some into it. */
function firstKey({ origin, blocks }: NodeState): PlainObject {
  if (origin === undefined) return {};
  const own = blocks.find(({ block_id: id, from }) => from === undefined && id?.includes('/@import:') === true);
  return { [origin.id]: own?.block_id ?? null };
}

/** What is above a node in its source, and was not there when it came. */
export function missingAbove({ note }: NodeState): string | undefined {
  const above = note?.['above'];
  return typeof above === 'string' ? above : undefined;
}

/** Lines behind a node that are no messages. */
export function endsOf({ note }: NodeState): string[] {
  const ends = note?.['ends'];
  return Array.isArray(ends) ? ends.filter((line) => typeof line === 'string') : [];
}
