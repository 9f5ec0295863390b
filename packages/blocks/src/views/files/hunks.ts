import { countLines, readHunk } from '../../patch/hunk.ts';
import type { Hunk } from '../../patch/hunk.ts';
import { integerIn, listIn, textsOf } from '../foreign.ts';

/** Hunks in the structured form of the `diff` package, which Claude Code reports; `undefined` unless all are consistent. */
export function readHunks(value: readonly unknown[] | undefined): Hunk[] | undefined {
  if (value === undefined || value.length === 0) return undefined;
  const hunks: Hunk[] = [];
  for (const element of value) {
    const oldStart = integerIn(element, 'oldStart');
    const newStart = integerIn(element, 'newStart');
    const lines = textsOf(listIn(element, 'lines'));
    if (oldStart === undefined || newStart === undefined || lines === undefined) return undefined;
    const hunk = countLines(oldStart, newStart, lines);
    if (hunk === undefined || hunk.oldLines !== integerIn(element, 'oldLines')) return undefined;
    if (hunk.newLines !== integerIn(element, 'newLines')) return undefined;
    hunks.push(hunk);
  }
  return areInOrder(hunks) ? hunks : undefined;
}

/** Returns the hunks of a unified diff of one file, with any headers; `undefined` if it is malformed or of several files. */
export function parseHunks(diff: string): Hunk[] | undefined {
  const lines = diff.split('\n');
  let position = lines.findIndex((line) => line.startsWith('@@ '));
  if (position === -1) return undefined;
  const hunks: Hunk[] = [];
  while (position < lines.length) {
    const header = lines[position] ?? '';
    if (!header.startsWith('@@ ')) {
      if (isTail(lines, position)) break;
      return undefined;
    }
    const reading = readHunk(lines, position);
    if (!reading.ok) return undefined;
    hunks.push(reading.hunk);
    position = reading.next;
  }
  return areInOrder(hunks) ? hunks : undefined;
}

/** True if every kept and removed line of the hunks, which are in order, stands in the text where they say. Only those lines are looked at. */
export function hunksFit(original: string, hunks: readonly Hunk[]): boolean {
  // The start of the line with that number; -1 behind the last one.
  let at = 0;
  let line = 1;
  for (const hunk of hunks) {
    for (; line < hunk.oldStart && at !== -1; line += 1) at = nextLine(original, at);
    for (const entry of hunk.lines) {
      if (entry.startsWith('+') || entry.startsWith('\\')) continue;
      const end = at + entry.length - 1;
      if (at === -1 || !original.startsWith(entry.slice(1), at)) return false;
      if (end !== original.length && original.charCodeAt(end) !== lineFeed) return false;
      at = end === original.length ? -1 : end + 1;
      line += 1;
    }
  }
  return true;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? -1 : end + 1;
}

const lineFeed = 10;

function areInOrder(hunks: readonly Hunk[]): boolean {
  let oldNext = 1;
  let newNext = 1;
  for (const hunk of hunks) {
    if (hunk.oldStart < oldNext || hunk.newStart < newNext) return false;
    oldNext = hunk.oldStart + hunk.oldLines;
    newNext = hunk.newStart + hunk.newLines;
  }
  return true;
}

/** True if nothing but blank lines follows, or the note by which Codex's app-server adds the new path of a rename. */
function isTail(lines: readonly string[], position: number): boolean {
  return lines.slice(position).every((line) => line === '' || line.startsWith('Moved to: '));
}
