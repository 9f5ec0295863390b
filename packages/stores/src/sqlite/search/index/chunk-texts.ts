import { unpackText } from '../../tables/packed-text.ts';
import { aboutOf, places } from './chunk-row.ts';
import type { BlockEntry } from './chunk-row.ts';
import { JoinedTexts } from '../joined-texts.ts';
import { bytesOf, DamagedIndex, numberOf, textOf, unpackNumbers } from '../row-values.ts';
import type { Row } from '../row-values.ts';
import type { SnapshotReader } from '../snapshot-reader.ts';
import { cutStretches } from '../stretches.ts';
import type { Stretch } from '../stretches.ts';

/** A chunk as it is searched: texts with several blocks each, which are unpacked when they are needed. */
export class ChunkTexts {
  readonly id: number;
  readonly kinds: readonly string[];
  /** Of each block, its place in the walk; -1: hidden. */
  readonly ranks: Int32Array;
  readonly #row: Row;
  readonly #pieces: readonly ChunkPiece[];
  #blocks: readonly BlockEntry[] | undefined;

  constructor(row: Row) {
    this.id = numberOf(row['id']);
    this.kinds = textOf(row['kinds']).split(' ');
    this.ranks = unpackNumbers(row['ranks']);
    this.#row = row;
    this.#pieces = cutPieces(unpackNumbers(row['blocks']));
  }

  /** About how many bytes it takes in memory when everything is unpacked. */
  get bytes(): number {
    return this.#pieces.reduce(
      (sum, { place, size, blocks }) => sum + size * (place === 'narrow' ? 1 : 2) + blocks.length * 13,
      500,
    );
  }

  get pieces(): readonly ChunkPiece[] {
    return this.#pieces;
  }

  get stretches(): Stretch[] {
    const lengths: number[] = [];
    for (const { blocks, ends } of this.#pieces) {
      for (const [index, block] of blocks.entries()) lengths[block] = (ends[index] ?? 0) - (ends[index - 1] ?? 0);
    }
    return cutStretches(lengths);
  }

  /** What a block is. */
  block(index: number): BlockEntry {
    this.#blocks ??= aboutOf(this.#row).blocks;
    const block = this.#blocks[index];
    if (block === undefined) throw new DamagedIndex('a block is missing');
    return block;
  }

  /** The texts of a piece; what is read is of the moment at which the reader reads. */
  textsOf(piece: ChunkPiece, reader: SnapshotReader, projection: number): JoinedTexts {
    return (piece.texts ??= this.#read(piece, reader, projection));
  }

  #read({ place, size, ends }: ChunkPiece, reader: SnapshotReader, projection: number): JoinedTexts {
    const packed = place === 'other' ? undefined : reader.part(projection, `${place}/${textOf(this.#row['key'])}`);
    const text =
      place === 'other' ? unpackText(bytesOf(this.#row['other'])) : packed === undefined ? '' : unpackText(packed);
    if (text.length !== size) throw new DamagedIndex('texts are not where they should be');
    return new JoinedTexts(text, ends, place);
  }
}

/** The blocks of a chunk whose texts lie in the same part, one after the other. */
export interface ChunkPiece {
  place: (typeof places)[number];
  blocks: Int32Array;
  /** Where each of them ends in the part. */
  ends: Int32Array;
  size: number;
  /** There once it was unpacked. */
  texts?: JoinedTexts;
}

function cutPieces(entries: Int32Array): ChunkPiece[] {
  return places.flatMap((place, number): ChunkPiece[] => {
    const blocks: number[] = [];
    const ends: number[] = [];
    let size = 0;
    for (const [block, entry] of entries.entries()) {
      if ((entry & 3) !== number) continue;
      size += entry >> 2;
      blocks.push(block);
      ends.push(size);
    }
    return blocks.length === 0 ? [] : [{ place, blocks: Int32Array.from(blocks), ends: Int32Array.from(ends), size }];
  });
}
