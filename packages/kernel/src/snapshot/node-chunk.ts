import { editableText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../state/node-state.ts';
import type { SharedValues } from '../state/shared-values.ts';
import type { TextHistoryDump } from '../text/text-history.ts';

/** A new form of the parts, or a new way to reduce a log, needs a new number: older snapshots are then made again, unless they are read. */
export const snapshotFormat = 3;

/** Returns whether a snapshot of a format is read. The first kept what undoing takes in `rest`; the second knew fewer fields. */
export function isReadFormat(format: unknown): boolean {
  return format === 1 || format === 2 || format === snapshotFormat;
}

/** The number of consecutive nodes that share a part, and are written again when one of them has changed. */
export const chunkSize = 256;

/** A node without the texts of its blocks. */
export interface StoredNode {
  node: NodeState;
  /** The length of each block's text: above 0 it is among the narrow ones, below 0 (and one less) among the wide ones. */
  texts: number[];
  /** The change that last made it active as a leaf. */
  leaf: number;
  histories?: Record<string, TextHistoryDump>;
}

/**
 * The texts of a chunk, without anything between them: what a search reads. Texts with characters that take two bytes in memory
 * stand apart, because one of them would make all the others twice as large.
 */
export interface ChunkTexts {
  narrow: string;
  wide: string;
}

/** Takes the texts out of a node. */
export function storeNode(node: NodeState, leaf: number, texts: ChunkTexts): StoredNode {
  const lengths: number[] = [];
  const blocks = node.blocks.map((block) => {
    const text = editableText(block);
    if (text === undefined) return block;
    const isNarrow = !wideCharacter.test(text);
    if (isNarrow) texts.narrow += text;
    else texts.wide += text;
    lengths.push(isNarrow ? text.length : -1 - text.length);
    return { ...block, ...emptyText(block) };
  });
  return { node: { ...node, blocks }, texts: lengths, leaf };
}

/** Puts the texts back, in the order in which they were taken, and shares common values. */
export class NodeLoader {
  readonly #texts: ChunkTexts;
  readonly #shared: SharedValues;
  #narrow = 0;
  #wide = 0;

  constructor(texts: ChunkTexts, shared: SharedValues) {
    this.#texts = texts;
    this.#shared = shared;
  }

  load({ node, texts }: StoredNode): NodeState {
    let next = 0;
    for (const block of node.blocks) {
      if (block.agent !== undefined) block.agent = this.#shared.agent(block.agent);
      // Written into the block that was just read, which has no other owner: a copy would take more memory.
      if (block.type === 'text' || block.type === 'thinking') block.text = this.#take(texts[next++] ?? 0);
      else if (block.type === 'code') block.content = this.#take(texts[next++] ?? 0);
    }
    return Object.assign(node, { source: this.#shared.source(node.source) });
  }

  /** True if all texts have been used up: else they are not those of these nodes. */
  get isDone(): boolean {
    return this.#narrow === this.#texts.narrow.length && this.#wide === this.#texts.wide.length;
  }

  #take(length: number): string {
    if (length >= 0) return this.#texts.narrow.slice(this.#narrow, (this.#narrow += length));
    return this.#texts.wide.slice(this.#wide, (this.#wide += -1 - length));
  }
}

const wideCharacter = /[\u0100-\uffff]/;

function emptyText(block: MessageBlock): { text: string } | { content: string } {
  return block.type === 'code' ? { content: '' } : { text: '' };
}
