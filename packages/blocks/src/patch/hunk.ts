/** One run of changed lines, prefixed by ` `, `-`, `+` or `\`. Line numbers count from 1, also where a side is empty. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly string[];
  heading?: string;
}

/** A hunk and the line behind it, or the problem with it. */
export type HunkReading = { ok: true; hunk: Hunk; next: number } | { ok: false; problem: string };

/** The hunk of a unified diff whose header is the line at that position. */
export function readHunk(lines: readonly string[], position: number): HunkReading {
  const range = readHunkHeader(lines[position] ?? '');
  if (range === undefined) {
    return { ok: false, problem: 'its header is not of the form "@@ -start,count +start,count @@"' };
  }
  const body: string[] = [];
  let oldLeft = range.oldLines;
  let newLeft = range.newLines;
  let next = position + 1;
  for (; oldLeft > 0 || newLeft > 0 || lines[next]?.startsWith('\\') === true; next += 1) {
    const line = restoreBlank(lines[next]);
    const mark = line?.charAt(0);
    if (mark === ' ' || mark === '-') oldLeft -= 1;
    if (mark === ' ' || mark === '+') newLeft -= 1;
    if (line === undefined || mark === undefined || !' -+\\'.includes(mark) || oldLeft < 0 || newLeft < 0) {
      const announced = `its header announces ${range.oldLines} old and ${range.newLines} new lines`;
      const surprise =
        line === undefined ? 'the patch ends before' : `line ${next + 1} of the patch does not belong to it`;
      return { ok: false, problem: `${announced}, but ${surprise}; ${rightHeader(lines, position)}` };
    }
    body.push(line);
  }
  const hunk = countLines(range.oldStart, range.newStart, body);
  if (hunk === undefined) return { ok: false, problem: 'it is empty, or has lines after the end of the file' };
  return { ok: true, hunk: range.heading === '' ? hunk : { ...hunk, heading: range.heading }, next };
}

/** Returns the header that a hunk at that position must have for the lines that follow it. */
export function rightHeader(lines: readonly string[], position: number): string {
  const range = readHunkHeader(lines[position] ?? '');
  const counts = { old: 0, new: 0 };
  // Empty lines at the end belong to the text around the patch.
  const last = lines.findLastIndex((line) => line.trim() !== '');
  for (let next = position + 1; next <= last; next += 1) {
    const mark = restoreBlank(lines[next])?.charAt(0) ?? '';
    const isNextFile = lines[next]?.startsWith('--- ') === true && lines[next + 1]?.startsWith('+++ ') === true;
    if (!' -+\\'.includes(mark) || isNextFile || lines[next] === '-- ') break;
    if (mark === ' ' || mark === '-') counts.old += 1;
    if (mark === ' ' || mark === '+') counts.new += 1;
  }
  const side = (start: number, count: number): string => `${start - (count === 0 ? 1 : 0)},${count}`;
  const [oldStart, newStart] = [range?.oldStart ?? 1, range?.newStart ?? 1];
  return `with the lines that follow it is "@@ -${side(oldStart, counts.old)} +${side(newStart, counts.new)} @@"`;
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

/** A context line that lost its blank: some programs trim trailing white space. */
function restoreBlank(line: string | undefined): string | undefined {
  return line === '' || line === '\r' ? ` ${line}` : line;
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
