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
  readonly side: 'before' | 'after';
}

const reviewComment = z.object({
  path: z.string(),
  line: z.number(),
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

/** Returns a row and up to three rows on either side of it, as lines of a diff; a mark stands before its line. */
export function excerptAt(rows: readonly DiffRow[], index: number): string {
  const first = Math.max(0, index - 3);
  return rows
    .slice(first, index + 4)
    .flatMap((row, offset) => {
      if (row.kind === 'heading') return [];
      const mark = first + offset === index ? '>' : ' ';
      const number = String(row.after ?? row.before ?? '').padStart(5);
      return [`${mark}${number} ${signs[row.kind]} ${textOf(row)}`];
    })
    .join('\n');
}

/** The one message that all comments become: each with its file, its line and the code around it. */
export function commentsMessage(comments: readonly ReviewComment[]): string {
  const parts = comments.map(({ path, line, side, text, excerpt }) => {
    const fence = excerpt.includes('```') ? '````' : '```';
    const where = `${path}, line ${line}${side === 'before' ? ' before the change' : ''}`;
    return `${where}:\n${fence}diff\n${excerpt}\n${fence}\n${text}`;
  });
  const head = comments.length === 1 ? 'A comment on your changes:' : `${comments.length} comments on your changes:`;
  return [head, ...parts].join('\n\n');
}
