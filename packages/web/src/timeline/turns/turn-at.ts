import type { BranchTurn } from '../../conversation/branch-turns.ts';
import type { Row } from '../../conversation/rows.ts';

interface TurnAt {
  /** The turn that a row belongs to. */
  readonly here: BranchTurn | undefined;
  /** The turn that a person asked for last, if its message is out of sight above the row. */
  readonly above: BranchTurn | undefined;
}

/** Finds the turn of the first row in sight. `starts` has the turns by their first messages. */
export function turnAt(rows: readonly Row[], index: number, starts: ReadonlyMap<string, BranchTurn>): TurnAt {
  let here: BranchTurn | undefined;
  const first = rows[index]?.node;
  for (let at = Math.min(index, rows.length - 1); at >= 0; at -= 1) {
    const turn = starts.get(rows[at]?.node ?? '');
    if (turn === undefined || turn.kind === 'summary') continue;
    here ??= turn;
    if (turn.kind === 'person') return { here, above: turn.node === first ? undefined : turn };
  }
  return { here, above: undefined };
}
