import type { HiddenRow, Row, ToolRow } from './rows.ts';

/** The number of calls of one kind in a row from which they are shown together; what only looks says little alone. */
const leastTogether = 3;
const leastLooks = 2;

/** Folds rows of a branch that belong together into one: calls of one kind that ended well, reads and searches, and hidden blocks. */
export function foldRows(rows: readonly Row[]): Row[] {
  const folded: Row[] = [];
  for (let at = 0; at < rows.length;) {
    const row = rows[at];
    if (row === undefined) break;
    if (row.kind === 'tool') {
      const calls = callsLike(row, rows, at);
      if (calls.length < (isLook(row) ? leastLooks : leastTogether)) folded.push(...calls);
      else folded.push({ kind: 'tools', key: `${row.key} together`, node: row.node, calls });
      at += calls.length;
    } else if (row.kind === 'hidden') {
      const hidden = hiddenFrom(rows, at);
      folded.push(hidden.length === 1 ? row : joinHidden(row, hidden));
      at += hidden.length;
    } else {
      folded.push(row);
      at += 1;
    }
  }
  return folded;
}

/** Returns true for calls that read or search files: they belong together. */
function isLook({ tool }: ToolRow): boolean {
  return tool === 'read' || tool === 'find';
}

/** A call with those that follow it and are of its kind. */
function callsLike(first: ToolRow, rows: readonly Row[], start: number): ToolRow[] {
  const calls = [first];
  for (let at = start + 1; first.isFoldable; at += 1) {
    const row = rows[at];
    if (row?.kind !== 'tool' || !row.isFoldable) break;
    if (row.tool !== first.tool && !(isLook(row) && isLook(first))) break;
    if (row.tool === 'other' && row.name !== first.name) break;
    calls.push(row);
  }
  return calls;
}

function hiddenFrom(rows: readonly Row[], start: number): HiddenRow[] {
  const hidden: HiddenRow[] = [];
  for (let at = start; ; at += 1) {
    const row = rows[at];
    if (row?.kind !== 'hidden') return hidden;
    hidden.push(row);
  }
}

function joinHidden({ key, node }: HiddenRow, rows: readonly HiddenRow[]): HiddenRow {
  const kinds = [...new Set(rows.flatMap((row) => row.kinds))];
  return { kind: 'hidden', key, node, blocks: rows.length, kinds };
}
