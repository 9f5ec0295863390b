import type { BoardRow } from './board.ts';

/** The part of the board that a row stands in. */
export type BoardPart = 'needs' | 'running' | 'finished';

/** The time for which a row keeps its place after it has changed, in milliseconds. */
export const stay = 3000;

/** A row in its place. */
export interface BoardItem {
  readonly row: BoardRow;
  /** The part that it stands in, which is the one it belonged to until a moment ago. */
  readonly part: BoardPart;
  /** The time that it is sorted by. */
  readonly time: number;
  /** The time at which it was seen to belong elsewhere; `undefined` while it belongs here. */
  readonly movedAt?: number;
}

/** Returns the part of the board that a row belongs to. */
function partOf({ state }: BoardRow): BoardPart {
  if (state === 'waiting') return 'needs';
  return state === 'running' ? 'running' : 'finished';
}

/** Returns the rows in their places after a change: those that move or leave keep their place for a moment. */
export function boardItems(before: readonly BoardItem[], rows: readonly BoardRow[], now: number): BoardItem[] {
  const current = new Map(rows.map((row) => [row.id, row]));
  const kept = before.flatMap((item): BoardItem[] => {
    const row = current.get(item.row.id);
    if (row !== undefined && partOf(row) === item.part) {
      current.delete(row.id);
      return [{ row, part: item.part, time: timeOf(row) }];
    }
    const movedAt = item.movedAt ?? now;
    if (now - movedAt >= stay) return [];
    current.delete(item.row.id);
    return [{ ...item, row: row ?? item.row, movedAt }];
  });
  const added = Array.from(current.values(), (row) => ({ row, part: partOf(row), time: timeOf(row) }));
  return [...kept, ...added].sort(inOrder);
}

/** Those that wait and those that run come oldest first, those that have ended newest first. */
function inOrder(one: BoardItem, other: BoardItem): number {
  if (one.part !== other.part) return parts.indexOf(one.part) - parts.indexOf(other.part);
  const byTime = one.part === 'finished' ? other.time - one.time : one.time - other.time;
  return byTime || (one.row.id < other.row.id ? -1 : 1);
}

const parts: readonly BoardPart[] = ['needs', 'running', 'finished'];

function timeOf({ state, started_at: started, changed_at: changed }: BoardRow): number {
  return Date.parse(state === 'running' ? started : changed);
}
