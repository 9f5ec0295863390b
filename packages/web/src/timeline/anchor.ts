import type { Row } from '../conversation/rows.ts';

/** A row that is there before and after a change, by its places. */
export interface Anchor {
  readonly from: number;
  readonly to: number;
}

/** The number of rows searched for one that is still there; more are hardly in sight. */
const mostLooked = 60;

/** The first row in sight that is still there after a change. */
export function findAnchor(before: readonly Row[], now: readonly Row[], firstInSight: number): Anchor | undefined {
  for (const [index, { key }] of before.slice(firstInSight, firstInSight + mostLooked).entries()) {
    const from = firstInSight + index;
    if (now[from]?.key === key) return { from, to: from };
    const to = now.findIndex((row) => row.key === key);
    if (to >= 0) return { from, to };
  }
  return undefined;
}

/** Returns true if all rows that came or went did so above those in sight. */
export function isShift({ from, to }: Anchor, before: readonly Row[], now: readonly Row[]): boolean {
  return to !== from && to - from === now.length - before.length;
}
