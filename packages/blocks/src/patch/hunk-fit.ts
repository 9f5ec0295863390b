import type { HunkEntry } from './hunk-entries.ts';
import { locateHunk } from './hunk-place.ts';
import { spellLineCount } from '../lines/lines.ts';

/** A text whose lines have numbers, equal lines the same one. */
export interface NumberedText {
  /** The lines with their breaks. */
  lines: readonly string[];
  numbers: readonly number[];
  numberOf: ReadonlyMap<string, number>;
}

/**
 * The state left by the hunks before: the displacement of the last one, the line behind it and the one behind its last
 * change.
 */
export interface Progress {
  displacement: number;
  end: number;
  changeEnd: number;
}

/** A hunk and the line, counted from 0, at which it says it starts. */
export interface PlacedHunk {
  entries: readonly HunkEntry[];
  start: number;
}

/** The line at which a hunk is to be applied and the resulting state, or the reason that it cannot be, with advice. */
export type Fit = { ok: true; place: number; progress: Progress } | { ok: false; problem: string };

/** Finds the place of a hunk behind those before it. */
export function fitHunk(text: NumberedText, { entries, start }: PlacedHunk, before: Progress): Fit {
  const old = entries.filter((entry) => entry.mark !== '+').map((entry) => entry.line);
  const contextBehind = entries.length - 1 - entries.findLastIndex((entry) => entry.mark !== ' ');
  const pattern = {
    lines: old.map((line) => text.numberOf.get(line) ?? -1),
    start,
    contextBefore: entries.findIndex((entry) => entry.mark !== ' '),
    contextBehind,
  };
  // GNU patch looks for a place from the last change on, so this does too, lest it find another one; but a place in the
  // context of the hunk before is then refused.
  const place = locateHunk(text.numbers, pattern, before.displacement, before.changeEnd);
  if (place === undefined) return { ok: false, problem: explainAbsence(text.lines, old, pattern, before.displacement) };
  const end = place + old.length;
  const problem = place < before.end ? explainOverlap(place) : findFaultyEnd(text.lines, entries, end);
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, place, progress: { displacement: place - start, end, changeEnd: end - contextBehind } };
}

const makeAgain = 'read the block again and make the patch from its present text';
const markIt = 'with "\\ No newline at end of file" after each line that has none';

function explainOverlap(place: number): string {
  return `fits only at line ${place + 1} of the text, in the context of the hunk before; join the two hunks`;
}

/** Lines must not run together where one of the two sides has no newline at its end. */
function findFaultyEnd(lines: readonly string[], entries: readonly HunkEntry[], end: number): string | undefined {
  const last = entries.findLast((entry) => entry.mark !== '-')?.line;
  if (end < lines.length && last !== undefined && !last.endsWith('\n')) {
    return `ends the text without a newline, but the text goes on after it; ${makeAgain}`;
  }
  const isInsert = entries.every((entry) => entry.mark === '+');
  if (isInsert && end === lines.length && lines.at(-1)?.endsWith('\n') === false) {
    return `adds lines after a last line that has no newline; remove that line and add it again, ${markIt}`;
  }
  return undefined;
}

function explainAbsence(
  lines: readonly string[],
  old: readonly string[],
  { start, contextBefore, contextBehind }: { start: number; contextBefore: number; contextBehind: number },
  displacement: number,
): string {
  if (contextBefore === 0 && contextBehind === 0) {
    const rule = 'has no context, so it is applied only exactly where it says';
    return displacement === 0
      ? `${rule}, and ${describeDifference(lines, old, start)}; ${makeAgain}`
      : `${rule}, but the hunk before was displaced by ${spellLineCount(displacement)}; ${makeAgain}, with lines of context`;
  }
  if (contextBehind < contextBefore) {
    const difference = describeDifference(lines, old, Math.max(0, lines.length - old.length));
    return `has less context after its changes than before them, so it belongs to the end of the text, where ${difference}; if it belongs elsewhere, give it as many lines of context after as before`;
  }
  if (contextBefore < contextBehind && start === 0) {
    return `belongs to the beginning of the text, where ${describeDifference(lines, old, 0)}; ${makeAgain}`;
  }
  return `fits nowhere: ${describeDifference(lines, old, start + displacement)}; ${makeAgain}`;
}

function describeDifference(lines: readonly string[], old: readonly string[], start: number): string {
  const index = old.findIndex((line, index) => lines[start + index] !== line);
  const expected = old[index];
  if (expected === undefined) return `the text has only ${spellLineCount(lines.length)}`;
  const number = start + index + 1;
  const actual = lines[start + index];
  if (actual === undefined)
    return `the text has ${spellLineCount(lines.length)}, but line ${number} is to be ${quote(expected)}`;
  const difference = `line ${number}, counted from 1, is ${quote(actual)} and not ${quote(expected)}`;
  const isOneUnended = actual === `${expected}\n` || expected === `${actual}\n`;
  return isOneUnended ? `${difference}: the end of a file is marked ${markIt}` : difference;
}

/** Quotes a line as JSON, so that line breaks and blanks at the end can be seen. */
function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
