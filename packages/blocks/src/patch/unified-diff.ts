import { structuredPatch } from 'diff';
import { splitLines } from '../lines/lines.ts';
import { commonEnds } from '../text/common-ends.ts';
import type { Hunk } from './hunk.ts';
import { unitAt } from '../text/unit-at.ts';

const contextLines = 3;

// Myers' algorithm takes time in the square of the number of changed lines. At this limit two texts that have nothing in
// common cost about a tenth of a second, however long they are.
const maxEditLength = 1000;

const noFinalNewline = '\\ No newline at end of file';

/**
 * A unified diff of one file, or `undefined` if nothing differs. An absent side is written `/dev/null`, which is how
 * `patch` and git mark a new or deleted file.
 */
export function formatDiff(
  from: string | undefined,
  to: string | undefined,
  hunks: readonly Hunk[],
): string | undefined {
  if (hunks.length === 0) return undefined;
  const lines = [`--- ${formatPath(from)}`, `+++ ${formatPath(to)}`];
  for (const hunk of hunks) {
    const heading = hunk.heading === undefined || hunk.heading === '' ? '' : ` ${hunk.heading}`;
    const oldRange = formatRange(hunk.oldStart, hunk.oldLines);
    const newRange = formatRange(hunk.newStart, hunk.newLines);
    lines.push(`@@ -${oldRange} +${newRange} @@${heading}`);
    for (const line of hunk.lines) lines.push(line);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Compares two texts, line endings and a missing final newline included. Texts that differ too much to be compared in
 * bounded time get one hunk from the first to the last line that differs. `share` is the number of comparisons that one
 * payload asks for: the bound holds for all of them together.
 */
export function diffTexts(original: string, updated: string, share = 1): Hunk[] {
  if (original === updated) return [];
  const { linesBefore, oldText, newText } = middleOf(original, updated);
  const coarse = replaceMiddle(splitLines(oldText), splitLines(newText));
  const shift = (hunk: Hunk): Hunk => ({
    ...hunk,
    oldStart: hunk.oldStart + linesBefore,
    newStart: hunk.newStart + linesBefore,
  });
  // A pure insertion or deletion in one place is already as small as it gets.
  if (coarse.oldChanged === 0 || coarse.newChanged === 0) return [shift(coarse.hunk)];
  const limit = Math.floor(maxEditLength / Math.sqrt(share));
  const patch = structuredPatch('', '', oldText, newText, undefined, undefined, {
    context: contextLines,
    maxEditLength: limit,
  });
  return (patch?.hunks ?? [coarse.hunk]).map(shift);
}

/** Returns two texts without the lines that they have in common at both ends, but for the context of a diff. */
function middleOf(original: string, updated: string): { linesBefore: number; oldText: string; newText: string } {
  const same = commonPrefix(original, updated);
  const prefix = same === 0 ? 0 : original.lastIndexOf('\n', same - 1) + 1;
  const suffix = commonSuffix(original, updated, Math.min(original.length, updated.length) - prefix);
  const start = lineStartBefore(original, prefix, contextLines);
  // The first line of the common end may be half of one.
  const end = lineStartBehind(original, original.length - suffix, contextLines + 1);
  return {
    linesBefore: countBreaks(original, start),
    oldText: original.slice(start, end),
    newText: updated.slice(start, updated.length - original.length + end),
  };
}

// Engines compare pieces of strings much faster than characters.
const piece = 1024;

function commonPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at + piece <= most && one.slice(at, at + piece) === other.slice(at, at + piece)) at += piece;
  while (at < most && unitAt(one, at) === unitAt(other, at)) at += 1;
  return at;
}

function commonSuffix(one: string, other: string, most: number): number {
  const [oneEnd, otherEnd] = [one.length, other.length];
  let length = 0;
  while (
    length + piece <= most &&
    one.slice(oneEnd - length - piece, oneEnd - length) === other.slice(otherEnd - length - piece, otherEnd - length)
  ) {
    length += piece;
  }
  while (length < most && unitAt(one, oneEnd - 1 - length) === unitAt(other, otherEnd - 1 - length)) length += 1;
  return length;
}

/** Returns the start of the line that is that many above the one that starts at a place. */
function lineStartBefore(text: string, at: number, lines: number): number {
  let start = at;
  for (let count = 0; count < lines && start > 0; count += 1) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return start;
}

/** Returns the start of the line that is that many behind the one at a place; the end of the text if there are fewer. */
function lineStartBehind(text: string, at: number, lines: number): number {
  let start = at;
  for (let count = 0; count < lines; count += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  return start;
}

function countBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * The diffs of several replaced passages whose places in the file are not known, as hunks of one diff: line numbers
 * count through the passages as if they followed each other.
 */
export function diffPassages(passages: readonly { original: string; updated: string }[]): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const passage of passages) {
    const original = endLine(passage.original);
    const updated = endLine(passage.updated);
    for (const hunk of diffTexts(original, updated, passages.length)) {
      hunks.push({ ...hunk, oldStart: hunk.oldStart + oldLine, newStart: hunk.newStart + newLine });
    }
    oldLine += splitLines(original).length;
    newLine += splitLines(updated).length;
  }
  return hunks;
}

/** A text that has to be shown as whole lines, though in its file the last line may go on. */
function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/**
 * Returns one hunk that removes everything between the common beginning and the common end, and adds the new lines there.
 */
function replaceMiddle(oldLines: readonly string[], newLines: readonly string[]) {
  const { start, end } = commonEnds(oldLines, newLines);
  const oldEnd = oldLines.length - end;
  const newEnd = newLines.length - end;
  const first = Math.max(0, start - contextLines);
  const hunk: Hunk = {
    oldStart: first + 1,
    oldLines: Math.min(oldEnd + contextLines, oldLines.length) - first,
    newStart: first + 1,
    newLines: Math.min(newEnd + contextLines, newLines.length) - first,
    lines: [
      ...markLines(' ', oldLines.slice(first, start)),
      ...markLines('-', oldLines.slice(start, oldEnd)),
      ...markLines('+', newLines.slice(start, newEnd)),
      ...markLines(' ', oldLines.slice(oldEnd, oldEnd + contextLines)),
    ],
  };
  return { hunk, oldChanged: oldEnd - start, newChanged: newEnd - start };
}

function markLines(mark: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [`${mark}${line.slice(0, -1)}`] : [`${mark}${line}`, noFinalNewline],
  );
}

/** The format counts an empty range from the line before it. */
function formatRange(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

/** Quotes as git does, so that a name with a line break cannot pass for a line of the diff. */
function formatPath(path: string | undefined): string {
  if (path === undefined) return '/dev/null';
  let quoted = '';
  for (const character of path) quoted += escapes.get(character) ?? escapeControl(character);
  return quoted === path ? path : `"${quoted}"`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);

function escapeControl(character: string): string {
  const code = character.charCodeAt(0);
  return code < 32 || code === 127 ? `\\${code.toString(8).padStart(3, '0')}` : character;
}
