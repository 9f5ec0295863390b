import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { spliceEdits } from './line-edits.ts';
import type { LineEditPlan } from './line-edits.ts';
import { placeOperations } from './line-operation.ts';
import type { LineOperation, PlacedEdit } from './line-operation.ts';
import { refuseOperation } from './line-refusal.ts';

/**
 * What a batch of line operations that address an older text does to the newest one. `later` is every change since, each
 * in offsets of the text before it. Refused if one of them touched what an operation addresses.
 */
export function carryLineEdits(
  base: string,
  later: readonly (readonly TextSplice[])[],
  operations: readonly LineOperation[],
): LineEditPlan {
  const placement = placeOperations(base, operations);
  if (!placement.ok) return placement;
  let newest = base;
  let edits: readonly PlacedEdit[] = placement.edits;
  const touched = new Set<number>();
  for (const change of later) {
    for (const edit of edits) if (isTouched(edit, change)) touched.add(edit.index);
    edits = edits.map((edit) => carryEdit(edit, change));
    newest = spliceText(newest, change);
  }
  for (const edit of edits) if (hasLostItsLine(newest, edit)) touched.add(edit.index);
  const [first] = edits.filter((edit) => touched.has(edit.index)).sort((a, b) => a.index - b.index);
  if (first === undefined) {
    const splices = spliceEdits(
      newest,
      edits.map((edit) => (edit.atEnd ? { ...edit, from: newest.length, to: newest.length } : edit)),
    );
    return { ok: true, splices };
  }
  const { startLine: start_line, endLine: end_line } = first;
  const refusal = { reason: 'version-mismatch' as const, start_line, end_line };
  return { ok: false, refusal: refuseOperation(first.index, operations.length, refusal) };
}

function isTouched({ from, to, atEnd }: PlacedEdit, change: readonly TextSplice[]): boolean {
  if (atEnd) return false;
  return change.some((splice) => {
    if (splice.delete === 0) return splice.insert !== '' && from < splice.at && splice.at < to;
    // Also true of a place between two lines, which has nothing to delete, when both of its sides go at once.
    return splice.at < to && splice.at + splice.delete > from;
  });
}

/** An insert needs the start of a line to stand at. */
function hasLostItsLine(newest: string, { from, to, atEnd }: PlacedEdit): boolean {
  return !atEnd && from === to && from > 0 && newest.charAt(from - 1) !== '\n';
}

/** Text that arrives at either end of a range stays outside, and text that arrives where lines go in comes behind them. */
function carryEdit(edit: PlacedEdit, change: readonly TextSplice[]): PlacedEdit {
  const length = edit.to - edit.from;
  let shift = 0;
  for (const splice of change) {
    const end = splice.at + splice.delete;
    const isBefore = end < edit.from || (end === edit.from && (length > 0 || splice.delete > 0));
    if (isBefore) shift += splice.insert.length - splice.delete;
  }
  return { ...edit, from: edit.from + shift, to: edit.from + shift + length };
}
