/** The part of a block that cutting into stretches needs. */
export interface CutBlock {
  /** The same only for a block that says the same. */
  key: string;
  /** The length of its text, in UTF-16 code units. */
  length: number;
}

/** A stretch that the index has. */
export interface KnownStretch {
  id: number;
  keys: readonly string[];
}

/**
 * A row of the index: blocks of a conversation that follow each other. A block is never cut, however long it is: so nothing that
 * is to be found together, in one line, is ever in two rows.
 */
export type PlannedStretch =
  | { type: 'kept'; id: number }
  /** A new one: from a block up to before another. */
  | { type: 'new'; from: number; to: number };

/** Cuts a conversation into stretches, and keeps those that are known and still hold: what changes in one place is cut anew there. */
export function planStretches(known: readonly KnownStretch[], blocks: readonly CutBlock[]): PlannedStretch[] {
  const segments: (Segment & { id?: number })[] = [];
  const byFirst = new Map(known.map((stretch) => [stretch.keys[0], stretch]));
  for (let at = 0; at < blocks.length;) {
    const stretch = byFirst.get(blocks[at]?.key);
    const last = segments.at(-1);
    if (stretch?.keys.every((key, index) => blocks[at + index]?.key === key) === true) {
      segments.push({ from: at, to: at + stretch.keys.length, id: stretch.id });
      byFirst.delete(stretch.keys[0]);
      at += stretch.keys.length;
    } else if (last === undefined || last.id !== undefined) {
      // A small one grows by the blocks behind it, or a conversation would end up in as many rows as it has messages.
      if (last !== undefined && sizeOf(blocks, last) < stretchSize / 2) delete last.id;
      else segments.push({ from: at, to: at });
    } else {
      last.to = at += 1;
    }
  }
  return segments.flatMap(({ id, ...segment }): PlannedStretch[] =>
    id === undefined ? cutStretches(blocks, segment) : [{ type: 'kept', id }],
  );
}

interface Segment {
  from: number;
  to: number;
}

function sizeOf(blocks: readonly CutBlock[], { from, to }: Segment): number {
  return blocks.slice(from, to).reduce((sum, { length }) => sum + length, 0);
}

function cutStretches(blocks: readonly CutBlock[], segment: Segment): PlannedStretch[] {
  const stretches: PlannedStretch[] = [];
  let [from, size] = [segment.from, 0];
  for (const [index, { length }] of blocks.slice(segment.from, segment.to).entries()) {
    if (size > 0 && size + length > stretchSize) {
      stretches.push({ type: 'new', from, to: segment.from + index });
      [from, size] = [segment.from + index, 0];
    }
    size += length;
  }
  if (from < segment.to) stretches.push({ type: 'new', from, to: segment.to });
  return stretches;
}

/** The size of a stretch, in UTF-16 code units. Smaller ones are more selective, but make the index larger. */
export const stretchSize = 32_768;
