import type { ListedRoot } from '@loom/kernel';
import { namesOf } from '../navigator/navigator-rows.ts';
import type { ListedProject } from '../navigator/project-list.ts';
import { period } from '../words/times.ts';
import type { Grouping } from './filters.ts';

/** A row of the page of all conversations. */
export type PageRow =
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly id: string;
      readonly name: string;
      readonly count: string;
      readonly directory: string | undefined;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'period'; readonly key: string; readonly name: string }
  | { readonly kind: 'conversation'; readonly key: string; readonly item: ListedRoot; readonly name: string }
  | { readonly kind: 'more'; readonly key: string; readonly id: string; readonly name: string; readonly count: number };

export interface RowParts {
  readonly projects: readonly ListedProject[];
  readonly items: readonly ListedRoot[];
  /** All conversations of the projects that are shown as a whole. */
  readonly whole: ReadonlyMap<string, readonly ListedRoot[]>;
  readonly folded: ReadonlySet<string>;
  readonly isGone: (id: string) => boolean;
  readonly now: number;
}

/** Returns the rows of the page: grouped by project or by date, or flat by cost. */
export function pageRows(grouping: Grouping, parts: RowParts): PageRow[] {
  if (grouping === 'project') return parts.projects.flatMap((project) => projectRows(project, parts));
  const here = parts.items.filter(({ id }) => !parts.isGone(id));
  const names = namesOf(here);
  const rows: PageRow[] = [];
  let last: string | undefined;
  for (const [index, item] of here.entries()) {
    const name = period(Date.parse(item.updated), parts.now);
    if (grouping === 'date' && name !== last) rows.push({ kind: 'period', key: `period ${name}`, name });
    last = name;
    rows.push({ kind: 'conversation', key: item.id, item, name: names[index] ?? '' });
  }
  return rows;
}

function projectRows(listed: ListedProject, { whole, folded, isGone }: RowParts): PageRow[] {
  const { project: id, conversations, all, directory, items: first = [] } = listed;
  const items = whole.get(id) ?? first;
  const here = items.filter((item) => !isGone(item.id));
  const left = items.length - here.length;
  const count = conversations - left;
  if (count <= 0) return [];
  const name = id === '' ? 'No project' : listed.name;
  const isOpen = !folded.has(id);
  const known = Math.max(all - left, count);
  const counted = count === known ? String(count) : `${count} of ${known}`;
  const head: PageRow = { kind: 'group', key: `group ${id}`, id, name, count: counted, directory, isOpen };
  if (!isOpen) return [head];
  const names = namesOf(here);
  const more = count - here.length;
  return [
    head,
    ...here.map((item, index): PageRow => ({ kind: 'conversation', key: item.id, item, name: names[index] ?? '' })),
    ...(more > 0 ? [{ kind: 'more' as const, key: `more ${id}`, id, name, count: more }] : []),
  ];
}
