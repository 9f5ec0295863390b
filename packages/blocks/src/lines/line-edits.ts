import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { placeOperations } from './line-operation.ts';
import type { LineOperation, PlacedEdit } from './line-operation.ts';
import type { LineRefusal } from './line-refusal.ts';
import { breakAt, lineBreak, splitLines, withoutBreak } from './lines.ts';

/** Splices in the order of the text, which never overlap, or why there are none. */
export type LineEditPlan = { ok: true; splices: TextSplice[] } | { ok: false; refusal: LineRefusal };

/**
 * Plans a batch of line operations as splices of a text. All of them address the text before the batch; they are made
 * together or not at all. Every kept line keeps its ending, and a missing break at the end of the text stays missing.
 */
export function planLineEdits(text: string, operations: readonly LineOperation[]): LineEditPlan {
  const placement = placeOperations(text, operations);
  return placement.ok ? { ok: true, splices: spliceEdits(text, placement.edits) } : placement;
}

/** The splices of edits whose offsets are of this text, in its order. */
export function spliceEdits(text: string, edits: readonly PlacedEdit[]): TextSplice[] {
  const drafts = edits
    .map((edit) => draftSplice(text, edit))
    .filter((draft) => draft.to > draft.from || draft.ending !== '');
  if (!text.endsWith('\n')) settleEnd(text, drafts);
  return drafts.map(toSplice);
}

function toSplice({ from, to, lines, ending }: Draft): TextSplice {
  return { at: from, delete: to - from, insert: lines + ending };
}

/** A splice that still may have to give up the last of its line breaks, or one that it has not deleted. */
interface Draft {
  from: number;
  to: number;
  /** The new lines but for the break of the last one, which is apart: behind a `\r` it could no longer be recognized. */
  lines: string;
  ending: string;
  /** The break that has to precede the new lines where the line before has none. */
  joint: string;
  atEnd: boolean;
  /** True if the content was written without a break at its end. */
  unended: boolean;
}

function draftSplice(text: string, edit: PlacedEdit): Draft {
  const { from, to, atEnd, open } = edit;
  const last = edit.lines.at(-1);
  if (last === undefined) {
    // The range lacked a break when it was addressed and has got one since: that one goes with it.
    const end = open ? to + breakAt(text, to).length : to;
    return { from, to: end, lines: '', ending: '', joint: '', atEnd, unended: false };
  }
  const endings = chooseEndings(text, edit);
  const ended = edit.lines.slice(0, -1).map((line, index) => withoutBreak(line) + (endings[index] ?? ''));
  // More of the line that is replaced follows by now, and it brings its own break.
  const isContinued = open && to < text.length;
  return {
    from,
    to,
    lines: ended.join('') + withoutBreak(last),
    ending: isContinued ? '' : (endings.at(-1) ?? ''),
    joint: endings[0] ?? '',
    atEnd,
    unended: lineBreak(last) === '',
  };
}

/** Returns the endings of the new lines: those of their neighborhood. */
function chooseEndings(text: string, edit: PlacedEdit): string[] {
  const replaced = splitLines(text.slice(edit.from, edit.to))
    .map(lineBreak)
    .filter((ending) => ending !== '');
  const near = replaced.at(-1) ?? breakNear(text, edit.from);
  const own = lineBreak(edit.lines[0] ?? '') || '\n';
  return edit.lines.map((line, index) => replaced[index] ?? near ?? (lineBreak(line) || own));
}

/**
 * Keeps a text without a final line break from gaining one and from running two lines together: appended lines get a
 * break before them, and the last remaining line loses its own.
 */
function settleEnd(text: string, drafts: readonly Draft[]): void {
  const firstAtEnd = drafts.findIndex((draft) => draft.atEnd);
  const first = drafts[firstAtEnd];
  if (first !== undefined && text !== '' && (drafts[firstAtEnd - 1]?.to ?? 0) < text.length) {
    first.lines = first.joint + first.lines;
  }
  let end = text.length;
  for (const [index, draft] of [...drafts.entries()].reverse()) {
    if (draft.to !== end) break;
    if (draft.ending !== '') {
      const before = spliceText(text.slice(0, draft.from), drafts.slice(0, index).map(toSplice));
      // A text that was empty had no ending that could survive: it takes that of the content.
      if ((text !== '' || draft.unended) && !endsInEmptyLine(before + draft.lines)) draft.ending = '';
      return;
    }
    end = draft.from;
  }
  const leftmost = drafts.find((draft) => draft.from === end && draft.to > end);
  const kept = withoutBreak(text.slice(0, end));
  if (leftmost !== undefined && !endsInEmptyLine(kept)) leftmost.from = kept.length;
}

/** Returns true if the last line is empty, so that the break behind it has to stay. */
function endsInEmptyLine(lines: string): boolean {
  return lines === '' || lines.endsWith('\n');
}

/** The break before an offset, else the first one behind it. */
function breakNear(text: string, offset: number): string | undefined {
  const before = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  const at = before === -1 ? text.indexOf('\n', offset) : before;
  if (at === -1) return undefined;
  return text.charAt(at - 1) === '\r' ? '\r\n' : '\n';
}
