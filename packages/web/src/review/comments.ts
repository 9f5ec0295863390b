import { z } from 'zod';
import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import type { Store } from '../stores/store.ts';
import type { DiffRow } from '../blocks/changes/diff-rows.ts';
import { textOf } from '../blocks/changes/diff-rows.ts';

/** A line of a change: its number before the change if it was deleted, else after it. */
export interface LinePlace {
  readonly path: string;
  readonly line: number;
  /** The first line, if there are several and `line` is the last. */
  readonly from?: number;
  readonly side: 'before' | 'after';
}

const reviewComment = z.object({
  path: z.string(),
  line: z.number(),
  from: z.number().exactOptional(),
  side: z.enum(['before', 'after']),
  text: z.string(),
  /** The line and its neighbors, as they are sent. */
  excerpt: z.string(),
});
export type ReviewComment = z.infer<typeof reviewComment>;
const kept = z.array(reviewComment);

/** Makes the store of the comments that were written and not sent yet; they outlive the page. */
export function keptComments(storage: TextStorage, root: string): Store<readonly ReviewComment[]> {
  return keptStore<readonly ReviewComment[]>(storage, `loom-review ${root}`, {
    read: (value) => kept.safeParse(value).data,
    otherwise: [],
  });
}

export function isAt(comment: LinePlace, { path, line, side }: LinePlace): boolean {
  return comment.path === path && comment.line === line && comment.side === side;
}

/** The place of a row that can be commented on. */
export function placeOf(path: string, { before, after }: DiffRow): LinePlace | undefined {
  if (after !== undefined) return { path, line: after, side: 'after' };
  return before === undefined ? undefined : { path, line: before, side: 'before' };
}

const signs: { readonly [Kind in DiffRow['kind']]: string } = { same: ' ', add: '+', delete: '-', heading: ' ' };

/** `line 5`, `lines 2–5` */
export function lineWords({ line, from }: Pick<LinePlace, 'line' | 'from'>): string {
  return from === undefined ? `line ${line}` : `lines ${from}–${line}`;
}

/** The place from one line to another one of the same file and side; without such another one, the line alone. */
export function rangeOf(place: LinePlace, other: LinePlace | undefined): LinePlace {
  const { path, side } = place;
  if (other === undefined || other.path !== path || other.side !== side) return place;
  const from = Math.min(place.line, other.from ?? other.line);
  const line = Math.max(place.line, other.line);
  return from === line ? place : { path, side, line, from };
}

/** Returns the rows of a place and up to three rows on either side, as lines of a diff; a mark stands before those of the place. */
export function excerptAt(rows: readonly DiffRow[], index: number, from?: number): string {
  const row = rows[index];
  const isAfter = row?.after !== undefined;
  const start = from === undefined ? -1 : rows.findIndex((one) => (isAfter ? one.after : one.before) === from);
  const begin = start === -1 ? index : start;
  const first = Math.max(0, begin - 3);
  return rows
    .slice(first, index + 4)
    .flatMap((row, offset) => {
      if (row.kind === 'heading') return [];
      const at = first + offset;
      const mark = at >= begin && at <= index ? '>' : ' ';
      const number = String(row.after ?? row.before ?? '').padStart(5);
      return [`${mark}${number} ${signs[row.kind]} ${textOf(row)}`];
    })
    .join('\n');
}

/** The one message that all comments become: each with its file, its line and the code around it. */
export function commentsMessage(comments: readonly ReviewComment[]): string {
  const parts = comments.map(({ path, side, text, excerpt, ...lines }) => {
    const fence = excerpt.includes('```') ? '````' : '```';
    const where = `${path}, ${lineWords(lines)}${side === 'before' ? ' before the change' : ''}`;
    return `${where}:\n${fence}diff\n${excerpt}\n${fence}\n${text}`;
  });
  const head = comments.length === 1 ? 'A comment on your changes:' : `${comments.length} comments on your changes:`;
  return [head, ...parts].join('\n\n');
}
