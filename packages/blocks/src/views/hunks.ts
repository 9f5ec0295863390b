import { integerIn, listIn, textsOf } from './foreign.ts';

/** One run of changed lines, prefixed by ` `, `-`, `+` or `\`. Line numbers count from 1, also where a side is empty. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly string[];
  heading?: string;
}

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

/** The hunks of a unified diff of one file, whatever its headers; `undefined` if it is malformed or of several files. */
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
    const range = readHunkHeader(header);
    if (range === undefined) return undefined;
    position += 1;
    const start = position;
    let oldLeft = range.oldLines;
    let newLeft = range.newLines;
    while (oldLeft > 0 || newLeft > 0 || lines[position]?.startsWith('\\') === true) {
      const line = lines[position];
      if (line === undefined) return undefined;
      if (!line.startsWith('+') && !line.startsWith('\\')) oldLeft -= 1;
      if (!line.startsWith('-') && !line.startsWith('\\')) newLeft -= 1;
      position += 1;
    }
    // A context line that lost its blank: some programs trim trailing white space.
    const body = lines.slice(start, position).map((line) => (line === '' ? ' ' : line));
    const hunk = countLines(range.oldStart, range.newStart, body);
    if (hunk === undefined || oldLeft < 0 || newLeft < 0) return undefined;
    hunks.push(range.heading === '' ? hunk : { ...hunk, heading: range.heading });
  }
  return areInOrder(hunks) ? hunks : undefined;
}

/** A hunk with its lines counted, or `undefined` if there is none or one that no diff has at that place. */
export function countLines(oldStart: number, newStart: number, lines: readonly string[]): Hunk | undefined {
  let oldLines = 0;
  let newLines = 0;
  let oldEnded = false;
  let newEnded = false;
  let previous = '';
  for (const line of lines) {
    const mark = line.charAt(0);
    if (mark === '\\') {
      // "No newline at end of file": the side of the line before ends here.
      if (previous === '') return undefined;
      oldEnded ||= previous !== '+';
      newEnded ||= previous !== '-';
      previous = '';
      continue;
    }
    const isOld = mark === ' ' || mark === '-';
    const isNew = mark === ' ' || mark === '+';
    if ((!isOld && !isNew) || (isOld && oldEnded) || (isNew && newEnded)) return undefined;
    if (isOld) oldLines += 1;
    if (isNew) newLines += 1;
    previous = mark;
  }
  return lines.length === 0 ? undefined : { oldStart, oldLines, newStart, newLines, lines };
}

/** True if every kept and removed line of the hunks stands in the text where they say. */
export function hunksFit(original: string, hunks: readonly Hunk[]): boolean {
  const lines = original.split('\n');
  return hunks.every((hunk) => {
    let line = hunk.oldStart - 1;
    return hunk.lines.every((entry) => {
      if (entry.startsWith('+') || entry.startsWith('\\')) return true;
      return lines[line++] === entry.slice(1);
    });
  });
}

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

function readHunkHeader(line: string) {
  const match = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(line);
  if (match === null) return undefined;
  const [header, oldStart, oldCount = '1', newStart, newCount = '1'] = match;
  const oldLines = Number(oldCount);
  const newLines = Number(newCount);
  return {
    oldStart: Number(oldStart) + (oldLines === 0 ? 1 : 0),
    oldLines,
    newStart: Number(newStart) + (newLines === 0 ? 1 : 0),
    newLines,
    heading: line.slice(header.length).trim(),
  };
}
