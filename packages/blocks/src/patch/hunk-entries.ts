import type { TextSplice } from '../text/text-splice.ts';
import type { Hunk } from './hunk.ts';

/** The ending of a line. */
export type LineBreak = '\n' | '\r\n';

/** A line of a hunk: ` `, `-` or `+`, and the line with the break that it has in the text. */
export interface HunkEntry {
  mark: string;
  line: string;
}

/** The lines of a hunk, each with that break but for those marked to have none. */
export function readEntries(hunk: Hunk, ending: LineBreak): HunkEntry[] {
  return hunk.lines.flatMap((line, index) => {
    if (line.startsWith('\\')) return [];
    const isUnended = hunk.lines[index + 1]?.startsWith('\\') === true;
    return [{ mark: line.charAt(0), line: line.slice(1) + (isUnended ? '' : ending) }];
  });
}

/** One splice per run of changed lines, for a hunk whose old side begins at that offset; kept lines are not touched. */
export function spliceEntries(entries: readonly HunkEntry[], offset: number): TextSplice[] {
  const splices: TextSplice[] = [];
  let at = offset;
  let run: TextSplice | undefined;
  for (const { mark, line } of entries) {
    if (mark === ' ') {
      run = undefined;
    } else {
      if (run === undefined) splices.push((run = { at, delete: 0, insert: '' }));
      if (mark === '+') run.insert += line;
      else run.delete += line.length;
    }
    if (mark !== '+') at += line.length;
  }
  return splices;
}
