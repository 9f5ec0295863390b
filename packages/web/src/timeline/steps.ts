import type { Row } from '../conversation/rows.ts';

export interface StepOptions {
  readonly step: 1 | -1;
  /** Returns true if a step stops at a row with a block. */
  readonly isStop: (row: Row) => boolean;
  /** The start while nothing is current: this block itself is the first stop. */
  readonly from: string | undefined;
  /** The message of the current block. */
  readonly node?: string | undefined;
}

/** A block to go to, with its message. */
export interface Stop {
  readonly block: string;
  readonly node: string;
}

/** The block that a row stands for; several calls in one row are stopped at together. */
export function blockOf(row: Row | undefined): string | undefined {
  if (row?.kind === 'tools') return row.calls[0]?.block;
  return row !== undefined && 'block' in row ? row.block : undefined;
}

/** Returns true if a block, of a message if that is known, is drawn in a row: a tool result is part of the card of its call. */
export function holdsBlock(row: Row | undefined, block: string, node?: string): boolean {
  if (row?.kind === 'tools') return row.calls.some((call) => holdsBlock(call, block, node));
  if (blockOf(row) === block) return true;
  if (node === undefined) return false;
  return (row?.kind === 'tool' && row.result === node) || (row?.kind === 'notice' && row.node === node);
}

/** Returns true if a row is part of a message. */
export function isOfMessage(row: Row, node: string): boolean {
  if (row.kind === 'tools') return row.calls.some((call) => isOfMessage(call, node));
  return row.node === node || (row.kind === 'tool' && row.result === node);
}

/** The next block above or below the current one; at the ends the current one stays. */
export function stepTo(rows: readonly Row[], current: string | undefined, options: StepOptions): Stop | undefined {
  const { step, isStop, from, node } = options;
  const at = current === undefined ? -1 : rows.findIndex((row) => holdsBlock(row, current, node));
  const start =
    at >= 0
      ? at + step
      : Math.max(
          0,
          rows.findIndex((row) => from !== undefined && blockOf(row) === from),
        );
  for (let index = start; index >= 0 && index < rows.length; index += step) {
    const row = rows[index];
    const block = blockOf(row);
    if (row !== undefined && block !== undefined && isStop(row)) return { block, node: row.node };
  }
  return undefined;
}
