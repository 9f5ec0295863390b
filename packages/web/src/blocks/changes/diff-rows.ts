import { wordMarks } from './word-marks.ts';
import type { LinePart } from './word-marks.ts';

/** One line of a diff with its numbers on both sides. */
export interface DiffRow {
  readonly kind: 'same' | 'add' | 'delete' | 'heading';
  readonly before?: number;
  readonly after?: number;
  readonly parts: readonly LinePart[];
}

/** A line of a diff whose sides stand beside each other; a side without a line is a gap. */
export interface SplitRow {
  readonly left: DiffRow | undefined;
  readonly right: DiffRow | undefined;
}

export interface ReadDiff {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly deleted: number;
}

const hunkStart = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/u;

/** Reads a unified diff of one file, row by row. Leaves out lines outside of hunks. */
export function readDiff(diff: string): ReadDiff {
  const rows: DiffRow[] = [];
  let [added, deleted] = [0, 0];
  // The numbers of the next lines, and how many lines the hunk still has on each side.
  let [before, after, left, right] = [0, 0, 0, 0];
  for (const line of diff.split('\n')) {
    if (left <= 0 && right <= 0) {
      const [, start = '', length = '1', newStart = '', newLength = '1', heading = ''] = hunkStart.exec(line) ?? [];
      if (start === '') continue;
      [before, left, after, right] = [Number(start), Number(length), Number(newStart), Number(newLength)];
      if (rows.length > 0 || heading !== '') rows.push({ kind: 'heading', parts: plain(heading) });
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'add', after, parts: plain(line.slice(1)) });
      [after, right, added] = [after + 1, right - 1, added + 1];
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'delete', before, parts: plain(line.slice(1)) });
      [before, left, deleted] = [before + 1, left - 1, deleted + 1];
    } else if (!line.startsWith('\\')) {
      rows.push({ kind: 'same', before, after, parts: plain(line.slice(1)) });
      [before, after, left, right] = [before + 1, after + 1, left - 1, right - 1];
    }
  }
  return { rows: markWords(rows), added, deleted };
}

/** Counts the lines that a diff adds and deletes, without the work of showing it. */
export function countDiff(diff: string | undefined): { added: number; deleted: number } {
  if (diff === undefined) return { added: 0, deleted: 0 };
  const { added, deleted } = readDiff(diff);
  return { added, deleted };
}

/** Puts the sides of rows beside each other: replaced lines stand at the height of their replacements. */
export function splitRows(rows: readonly DiffRow[]): SplitRow[] {
  const split: SplitRow[] = [];
  for (const run of runsOf(rows)) {
    if (run.same !== undefined) {
      split.push({ left: run.same, right: run.same });
      continue;
    }
    for (let at = 0; at < Math.max(run.deleted.length, run.added.length); at += 1) {
      split.push({ left: run.deleted[at], right: run.added[at] });
    }
  }
  return split;
}

/** Lines that were replaced one by one are compared word by word. */
function markWords(rows: readonly DiffRow[]): DiffRow[] {
  return runsOf(rows).flatMap(({ same, deleted, added }) => {
    if (same !== undefined) return [same];
    if (deleted.length !== added.length) return [...deleted, ...added];
    const pairs = deleted.map((row, at) => wordMarks(textOf(row), textOf(added[at] ?? row)));
    return [
      ...deleted.map((row, at) => ({ ...row, parts: pairs[at]?.before ?? row.parts })),
      ...added.map((row, at) => ({ ...row, parts: pairs[at]?.after ?? row.parts })),
    ];
  });
}

interface Run {
  readonly same?: DiffRow;
  readonly deleted: DiffRow[];
  readonly added: DiffRow[];
}

/** A row that is the same on both sides, or all rows of one place where something was replaced. */
function runsOf(rows: readonly DiffRow[]): Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (row.kind !== 'add' && row.kind !== 'delete') runs.push({ same: row, deleted: [], added: [] });
    else if (last === undefined || last.same !== undefined || (row.kind === 'delete' && last.added.length > 0)) {
      runs.push(row.kind === 'add' ? { deleted: [], added: [row] } : { deleted: [row], added: [] });
    } else (row.kind === 'add' ? last.added : last.deleted).push(row);
  }
  return runs;
}

export function textOf({ parts }: DiffRow): string {
  return parts.map(({ text }) => text).join('');
}

function plain(text: string): readonly LinePart[] {
  return [{ text, isMarked: false }];
}
