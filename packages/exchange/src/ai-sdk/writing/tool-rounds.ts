import { isBlank } from '@loom/blocks';
import type { ModelBlock } from '@loom/blocks';
import { appendAll } from '../append-all.ts';

/** A block to send; for a call, `waits` is true if its result has to follow in a separate message. */
export interface Piece {
  block: ModelBlock;
  waits: boolean;
}

/**
 * Cuts the blocks of an assistant message into rounds, so that the results of each round's calls can follow it directly. Text or a file after a call
 * must not be read as coming before its result, so it opens a new round. Thinking and blank text belong to the blocks that follow them.
 */
export function splitRounds<P extends Piece>(pieces: readonly P[]): P[][] {
  const rounds: P[][] = [];
  let current: P[] = [];
  let held: P[] = [];
  let open = false;
  for (const piece of pieces) {
    if (piece.block.type === 'tool-use') {
      appendAll(current, held);
      current.push(piece);
      held = [];
      open ||= piece.waits;
    } else if (!open) {
      current.push(piece);
    } else if (goesWithNext(piece.block)) {
      held.push(piece);
    } else {
      rounds.push(current);
      current = [...held, piece];
      held = [];
      open = false;
    }
  }
  appendAll(current, held);
  if (current.length > 0) rounds.push(current);
  return rounds;
}

function goesWithNext(block: ModelBlock): boolean {
  return block.type === 'thinking' || (block.type === 'text' && isBlank(block.text));
}
