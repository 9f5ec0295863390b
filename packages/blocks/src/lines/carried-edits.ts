import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { alignSplices } from './aligned-splices.ts';
import { spliceEdits } from './line-edits.ts';
import type { LineEditPlan } from './line-edits.ts';
import { placeOperations } from './line-operation.ts';
import type { LineOperation, PlacedEdit } from './line-operation.ts';
import { refuseOperation } from './line-refusal.ts';
import { breakAt } from './lines.ts';

/**
 * Carries a batch of line operations that address an older text over to the newest one. `later` is every change since, each
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
  let edits: readonly CarriedEdit[] = placement.edits;
  const touched = new Set<number>();
  for (const change of later) {
    const splices = alignSplices(newest, change);
    const loose = edits.map((edit) => loosenBreak(edit, newest, splices));
    for (const edit of loose) if (isTouched(edit, splices)) touched.add(edit.index);
    newest = spliceText(newest, change);
    edits = loose.map((edit) => fastenPlace(carryEdit(edit, splices), newest));
  }
  edits = edits.map((edit) => placeAtEnd(edit, newest));
  for (const edit of edits) if (hasLostItsLine(newest, edit)) touched.add(edit.index);
  const [first] = edits.filter((edit) => touched.has(edit.index)).sort((a, b) => a.index - b.index);
  if (first === undefined) return { ok: true, splices: spliceEdits(newest, edits) };
  const { startLine: start_line, endLine: end_line } = first;
  const refusal = { reason: 'version-mismatch' as const, start_line, end_line };
  return { ok: false, refusal: refuseOperation(first.index, operations.length, refusal) };
}

interface CarriedEdit extends PlacedEdit {
  /** The place of an insert stands behind a line that is now the last one and has no break. */
  isLoose?: boolean;
}

/**
 * Gives up the break at the end of an edit's lines, or before its place, that goes with the last lines of a text without
 * a final break: the line before them is the last one then, and is otherwise as it was.
 */
function loosenBreak(edit: CarriedEdit, text: string, splices: readonly TextSplice[]): CarriedEdit {
  if (edit.atEnd || text.endsWith('\n')) return edit;
  const cut = endCut(text, splices);
  if (cut === edit.to || cut + breakAt(text, cut).length !== edit.to) return edit;
  // An empty line is nothing without its break.
  if (cut === 0 || text.charAt(cut - 1) === '\n') return edit;
  if (edit.from === edit.to) return { ...edit, from: cut, to: cut, isLoose: true };
  return edit.from < cut ? { ...edit, to: cut, open: true } : edit;
}

/** The offset from which a change deletes everything, or the length of the text. */
function endCut(text: string, splices: readonly TextSplice[]): number {
  let cut = text.length;
  for (const splice of splices.toReversed()) {
    if (splice.at + splice.delete !== cut) break;
    // Text that takes the place of the end goes on with the line before it.
    if (splice.insert !== '') return text.length;
    cut = splice.at;
  }
  return cut;
}

/** Puts a place behind the break that its line has got again. */
function fastenPlace(edit: CarriedEdit, text: string): CarriedEdit {
  const ending = edit.isLoose === true ? breakAt(text, edit.from).length : 0;
  if (ending === 0) return edit;
  return { ...edit, from: edit.from + ending, to: edit.to + ending, isLoose: false };
}

function placeAtEnd(edit: CarriedEdit, text: string): CarriedEdit {
  const atEnd = edit.atEnd || (edit.isLoose === true && edit.from === text.length);
  return atEnd ? { ...edit, atEnd, from: text.length, to: text.length } : edit;
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
function carryEdit(edit: CarriedEdit, change: readonly TextSplice[]): CarriedEdit {
  const length = edit.to - edit.from;
  let shift = 0;
  for (const splice of change) {
    const end = splice.at + splice.delete;
    const isBefore = end < edit.from || (end === edit.from && (length > 0 || splice.delete > 0));
    if (isBefore) shift += splice.insert.length - splice.delete;
  }
  return { ...edit, from: edit.from + shift, to: edit.from + shift + length };
}
