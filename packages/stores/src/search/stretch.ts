import { createHash } from 'node:crypto';
import type { Role } from '@loom/blocks';
import type { SearchableBlock, SearchedBlock } from '@loom/kernel/search';
import { packText, unpackText } from '../packed-text.ts';
import { DamagedIndex } from './damaged-index.ts';
import { JoinedTexts } from './joined-texts.ts';

/** A block as it is kept: all but its text. */
type BlockEntry = [
  id: string,
  length: number,
  kind: string,
  role: Role | null,
  agent: string | null,
  time: number | null,
  failed: 0 | 1,
  path?: string,
];

/** A block of a stretch, for filters. */
export interface StretchBlock extends SearchedBlock {
  block_id: string;
}

/** A row of the index as it is kept. */
export interface StretchRow {
  id: number;
  /** The length of its texts, in UTF-16 code units. */
  size: number;
  blocks: Uint8Array;
  text: Uint8Array;
}

/** A row of the index as it is searched; its parts are unpacked when they are needed. */
export class Stretch {
  readonly id: number;
  readonly #row: StretchRow;
  readonly #root: string;
  #entries: readonly BlockEntry[] | undefined;
  #texts: JoinedTexts | undefined;

  constructor(row: StretchRow, root: string) {
    this.id = row.id;
    this.#row = row;
    this.#root = root;
  }

  /** The approximate number of bytes it takes in memory when everything is unpacked. */
  get bytes(): number {
    return this.#row.size * 2 + this.#row.text.length + this.#row.blocks.length * 4;
  }

  get blocks(): StretchBlock[] {
    return this.#read().map(([block_id, , kind, role, agent, time, failed, path]) => ({
      block_id,
      kind,
      root: this.#root,
      role: role ?? undefined,
      agent: agent ?? undefined,
      time: time ?? undefined,
      failed: failed === 1,
      path,
    }));
  }

  get texts(): JoinedTexts {
    return (this.#texts ??= new JoinedTexts(
      unpackText(this.#row.text),
      this.#read().map(([, length]) => length),
    ));
  }

  #read(): readonly BlockEntry[] {
    if (this.#entries !== undefined) return this.#entries;
    const value: unknown = JSON.parse(unpackText(this.#row.blocks));
    if (!isEntries(value)) throw new DamagedIndex('a stretch tells nothing');
    return (this.#entries = value);
  }
}

/** Packs the blocks of a stretch for the index. */
export function packStretch(blocks: readonly SearchableBlock[]): {
  size: number;
  blocks: Uint8Array;
  text: Uint8Array;
} {
  const entries = blocks.map(entryOf);
  return {
    size: blocks.reduce((sum, { text }) => sum + text.length, 0),
    blocks: packText(JSON.stringify(entries)),
    text: packText(blocks.map(({ text }) => text.toWellFormed()).join('\n')),
  };
}

/** Returns everything that is kept of a block but its text, in one line. */
function entryOf({ block_id, text, kind, role, agent, time, failed, path }: SearchableBlock): BlockEntry {
  const entry: BlockEntry = [
    block_id,
    text.length,
    kind,
    role ?? null,
    agent ?? null,
    time ?? null,
    failed === true ? 1 : 0,
  ];
  if (path !== undefined) entry.push(path);
  return entry;
}

// Entries that unpacked without complaint were written by this very code.
function isEntries(value: unknown): value is BlockEntry[] {
  return Array.isArray(value);
}

const keyBytes = 8;

/** Returns a key that is the same for two blocks only if they say the same, but for one case in very many. */
export function keyOfBlock(block: SearchableBlock): string {
  const entry = JSON.stringify(entryOf(block));
  return createHash('sha1')
    .update(entry)
    .update('\n')
    .update(block.text)
    .digest('hex')
    .slice(0, keyBytes * 2);
}

/** Packs the keys of the blocks of a stretch. */
export function packKeys(keys: readonly string[]): Uint8Array {
  return Buffer.from(keys.join(''), 'hex');
}

export function unpackKeys(packed: Uint8Array): string[] {
  const text = Buffer.from(packed).toString('hex');
  return Array.from({ length: packed.length / keyBytes }, (_, index) =>
    text.slice(index * keyBytes * 2, (index + 1) * keyBytes * 2),
  );
}
