import type { MessageBlock } from '@loom/blocks';
import type { ForeignItem } from '../../foreign/foreign.ts';
import type { RunFact } from './run-facts.ts';

/**
 * A fact that a line of a stream states. Importers take the items alone; a live conversation takes everything, and sees an answer while it is
 * written.
 */
export type StreamFact = { readonly type: 'item'; readonly item: ForeignItem } | PartFact | RunFact;

/** A block of an answer while it is written, by the answer's id and the block's place there. */
export type PartFact =
  /** The block as far as it is known. */
  | { readonly type: 'part-started'; readonly message: string; readonly index: number; readonly block: MessageBlock }
  | {
      readonly type: 'part-grown';
      readonly message: string;
      readonly index: number;
      readonly field: 'text' | 'arguments';
      readonly text: string;
    }
  /** It has come whole: the block with that key is the one that counts. The item that holds it comes next. */
  | { readonly type: 'part-whole'; readonly message: string; readonly index: number; readonly key: string }
  /** It does not count: the stream broke off, or the block was empty. */
  | { readonly type: 'part-dropped'; readonly message: string; readonly index: number };
