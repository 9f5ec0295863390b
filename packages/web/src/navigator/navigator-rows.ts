import type { ListedRoot } from '@loom/kernel';
import { oneLine } from '../conversation/block-words.ts';
import { period } from '../words/times.ts';

/** One line of the navigator's list. */
export type NavigatorRow =
  | { readonly kind: 'period'; readonly key: string; readonly name: string }
  | { readonly kind: 'conversation'; readonly key: string; readonly item: ListedRoot };

/** Conversations with the names of the times that they belong to. They come in order, the one that was changed last first. */
export function navigatorRows(items: readonly ListedRoot[], now: number): NavigatorRow[] {
  const rows: NavigatorRow[] = [];
  let last: string | undefined;
  for (const item of items) {
    const name = period(Date.parse(item.updated), now);
    if (name !== last) rows.push({ kind: 'period', key: `period ${name}`, name });
    last = name;
    rows.push({ kind: 'conversation', key: item.id, item });
  }
  return rows;
}

/** Returns the name of a conversation in lists. */
export function nameOf({ title, opening }: { title?: string; opening: string }): string {
  const name = title ?? oneLine(opening);
  return name === '' ? 'Empty conversation' : name;
}
