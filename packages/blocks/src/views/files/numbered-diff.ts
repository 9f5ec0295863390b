import { countLines } from '../../patch/hunk.ts';
import type { Hunk } from '../../patch/hunk.ts';

interface Entry {
  mark: ' ' | '-' | '+';
  old: number;
  new: number;
  text: string;
}

/**
 * The hunks of a diff that pi made for its screen: each line with its mark and its number, the old one unless the line is new, and `...` where
 * lines are left out. `undefined` unless all numbers fit together.
 */
export function parseNumberedDiff(diff: string): Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let entries: Entry[] = [];
  // The difference between new and old line numbers.
  let ahead = 0;
  let isBehindGap = false;
  const close = (): boolean => {
    for (const run of withNearContext(entries)) {
      const [first] = run;
      const hunk =
        first &&
        countLines(
          first.old,
          first.new,
          run.map(({ mark, text }) => `${mark}${text}`),
        );
      if (hunk === undefined) return false;
      hunks.push(hunk);
    }
    entries = [];
    return true;
  };
  for (const line of diff.split('\n')) {
    if (/^\s*\.\.\.\s*$/.test(line)) {
      if (!close()) return undefined;
      isBehindGap = true;
      continue;
    }
    const match = /^([ +-])\s*(\d{1,9}) /.exec(line);
    const mark = markOf(match?.[1]);
    if (match === null || mark === undefined) return undefined;
    const number = Number(match[2]);
    const entry: Entry = {
      mark,
      old: mark === '+' ? number - ahead : number,
      new: mark === '+' ? number : number + ahead,
      text: line.slice(match[0].length),
    };
    const last = entries.at(-1);
    if (last !== undefined && !follows(last, entry)) {
      // Older versions count the lines behind a gap from 1.
      if (!isBehindGap || entries.some((each) => each.mark !== ' ')) return undefined;
      entries = entries.map((each, index) => {
        const distance = entries.length - index;
        return { ...each, old: entry.old - distance, new: entry.new - distance };
      });
    }
    entries.push(entry);
    if (mark === '+') ahead += 1;
    if (mark === '-') ahead -= 1;
  }
  return close() && hunks.length > 0 ? hunks : undefined;
}

const contextLines = 3;

/** The runs of changed lines, each with up to three kept lines around it. */
function withNearContext(entries: readonly Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  let keptUntil = -1;
  for (const [index, entry] of entries.entries()) {
    if (entry.mark === ' ') continue;
    const start = Math.max(0, index - contextLines);
    const run = runs.at(-1);
    if (run === undefined || start > keptUntil + 1) runs.push(entries.slice(start, index + 1));
    else run.push(...entries.slice(Math.max(start, keptUntil + 1), index + 1));
    keptUntil = index;
    // The lines that follow it, up to the next change.
    for (let next = index + 1; next <= index + contextLines && entries[next]?.mark === ' '; next += 1) {
      const kept = entries[next];
      if (kept === undefined) break;
      runs.at(-1)?.push(kept);
      keptUntil = next;
    }
  }
  return runs;
}

function markOf(text: string | undefined): Entry['mark'] | undefined {
  return text === ' ' || text === '-' || text === '+' ? text : undefined;
}

function follows(last: Entry, next: Entry): boolean {
  const old = last.old + (last.mark === '+' ? 0 : 1);
  const fresh = last.new + (last.mark === '-' ? 0 : 1);
  return next.old === old && next.new === fresh;
}
