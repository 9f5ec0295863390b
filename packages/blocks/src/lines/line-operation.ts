import { refuseOperation } from './line-refusal.ts';
import type { LineOperationRefusal, LineRefusal } from './line-refusal.ts';
import { lineBreak, lineStarts, splitLines } from './lines.ts';

/** An edit by lines, counted from 0, ends exclusive. `content` is lines: the break of its last line may be left out. */
export type LineOperation =
  | { op: 'insert'; line: number; content: string }
  | { op: 'delete'; start_line: number; end_line: number; expected_text?: string }
  | { op: 'replace'; start_line: number; end_line: number; content: string; expected_text?: string };

/** An operation that stands: the place in the text it addresses, in UTF-16 offsets, and the lines that go there. */
export interface PlacedEdit {
  /** The index of this operation in the batch. */
  index: number;
  startLine: number;
  endLine: number;
  from: number;
  to: number;
  /** Lines with their breaks as written; the last one may lack it. */
  lines: readonly string[];
  /** An insert behind the last line, which belongs to the end of the text and not to an offset. */
  atEnd: boolean;
  /** The last line of the range has no break. */
  open: boolean;
}

/** The placement of a batch: all its edits in the order of the text, or the refusal of the first that cannot be made. */
export type Placement = { ok: true; edits: PlacedEdit[] } | { ok: false; refusal: LineRefusal };

/** Checks every operation against the text before the batch and finds its place there. */
export function placeOperations(text: string, operations: readonly LineOperation[]): Placement {
  const starts = lineStarts(text);
  const edits: PlacedEdit[] = [];
  for (const [index, operation] of operations.entries()) {
    const edit = placeOperation(text, starts, operation, index);
    if ('reason' in edit) return { ok: false, refusal: refuseOperation(index, operations.length, edit) };
    const refusal = checkExpected(text, edit, operation);
    if (refusal !== undefined) return { ok: false, refusal: refuseOperation(index, operations.length, refusal) };
    edits.push(edit);
  }
  // The sort is stable: inserts at one place keep the order of the operations, and stand before what replaces the lines
  // that begin there.
  edits.sort((a, b) => a.startLine - b.startLine || Math.sign(a.to - a.from) - Math.sign(b.to - b.from));
  const overlap = findOverlap(edits);
  if (overlap === undefined) return { ok: true, edits };
  return { ok: false, refusal: refuseOperation(overlap.index, operations.length, overlap.refusal) };
}

function placeOperation(
  text: string,
  starts: readonly number[],
  operation: LineOperation,
  index: number,
): PlacedEdit | LineOperationRefusal {
  const count = starts.length - 1;
  const [startLine, endLine] =
    operation.op === 'insert' ? [operation.line, operation.line] : [operation.start_line, operation.end_line];
  for (const line of [startLine, endLine]) {
    if (starts[line] === undefined) return { reason: 'line-out-of-range', line, line_count: count };
  }
  if (startLine > endLine) {
    const problem = `is exclusive, so it must be at least start_line, which is ${startLine}`;
    return { reason: 'invalid-params', problems: [{ path: ['operations', index, 'end_line'], problem }] };
  }
  const from = starts[startLine] ?? 0;
  const to = starts[endLine] ?? 0;
  return {
    index,
    startLine,
    endLine,
    from,
    to,
    lines: operation.op === 'delete' ? [] : splitLines(operation.content),
    atEnd: startLine === count,
    open: from < to && text.charAt(to - 1) !== '\n',
  };
}

function checkExpected(text: string, edit: PlacedEdit, operation: LineOperation): LineOperationRefusal | undefined {
  if (operation.op === 'insert' || operation.expected_text === undefined) return undefined;
  const expected = operation.expected_text;
  const actual = text.slice(edit.from, edit.to);
  if (isExpected(actual, expected)) return undefined;
  const { startLine: start_line, endLine: end_line } = edit;
  return { reason: 'text-mismatch', expected, actual, start_line, end_line };
}

/**
 * Returns true if two texts are equal apart from the kind of their breaks; either side may lack the break of its last line.
 */
function isExpected(actual: string, expected: string): boolean {
  const there = actual.replaceAll('\r\n', '\n');
  const wanted = expected.replaceAll('\r\n', '\n');
  if (there === wanted || there === `${wanted}\n`) return true;
  // Only a last line without a break is completed: one more break behind a whole line would be one more line.
  return there !== '' && lineBreak(there) === '' && `${there}\n` === wanted;
}

/** The first two operations, in the order of the text, that claim the same lines; the later one is to blame. */
function findOverlap(edits: readonly PlacedEdit[]): { index: number; refusal: LineOperationRefusal } | undefined {
  for (const [position, edit] of edits.entries()) {
    const above = edits[position - 1];
    // Shared lines, or an insert between two lines that both go.
    if (above === undefined || edit.startLine >= above.endLine || above.startLine >= edit.endLine) continue;
    const [other, later] = above.index < edit.index ? [above, edit] : [edit, above];
    const problem = `overlaps with operation ${other.index}, which has lines ${other.startLine} to ${other.endLine}; all operations address the text before the batch: join the two into one`;
    const path = ['operations', later.index];
    return { index: later.index, refusal: { reason: 'invalid-params', problems: [{ path, problem }] } };
  }
  return undefined;
}
