import type { Row } from '../../conversation/rows.ts';

/** Counts the blocks that came after the former last row. Its message may have been loaded since; rows loaded above do not count. */
export function blocksBehind(rows: readonly Row[], last: Row): number {
  let blocks = 0;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row === undefined || row.key === last.key || (last.kind === 'loading' && row.node === last.node)) return blocks;
    if ('block' in row) blocks += 1;
  }
  // The branch is another one.
  return 0;
}
