import { personWords, toldApart } from '@loom/blocks';
import type { ListedRoot } from '@loom/kernel';
import { oneLine } from '../conversation/block-words.ts';
import { branchNoted } from '../conversation/origin.ts';
import { period } from '../words/times.ts';
import type { ListedProject, ProjectView } from './project-list.ts';

/** One line of the navigator's list. */
export type NavigatorRow =
  | { readonly kind: 'period'; readonly key: string; readonly name: string }
  | { readonly kind: 'heading'; readonly key: string; readonly name: 'Pinned' | 'Projects' }
  | { readonly kind: 'group'; readonly key: string; readonly group: NavigatorGroup; readonly isOpen: boolean }
  | { readonly kind: 'conversation'; readonly key: string; readonly item: ListedRoot; readonly name: string }
  | { readonly kind: 'more'; readonly key: string; readonly group: NavigatorGroup; readonly count: number };

/** A group that can be folded. */
export interface NavigatorGroup {
  /** The id of a project, "" for conversations without one, or `archived`. */
  readonly id: string;
  readonly kind: 'project' | 'none' | 'archived';
  readonly name: string;
  readonly count: number;
  readonly directory?: string;
  readonly state: ListedProject['state'];
}

export interface GroupedParts {
  readonly view: ProjectView;
  /** The groups whose fold the reader has changed. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** All conversations of groups of which more than the first are shown, and those of the archive. */
  readonly whole: ReadonlyMap<string, readonly ListedRoot[]>;
  /** Returns a conversation as the live list has it. */
  readonly latest: (item: ListedRoot) => ListedRoot;
  /** True for conversations that are left out. */
  readonly isGone: (id: string) => boolean;
  /** The conversation on display: its group is open. */
  readonly current: string | undefined;
}

/** Returns true if conversations are grouped: as long as none has a project, their times say more. */
export function isGrouped({ projects }: ProjectView): boolean {
  return projects.some(({ project }) => project !== '');
}

/** Returns the rows of pinned conversations, projects, those without one, and the archive. */
export function groupedRows(parts: GroupedParts): NavigatorRow[] {
  const { view, isGone } = parts;
  const rows: NavigatorRow[] = [];
  const pinned = view.pinned
    .map(parts.latest)
    .filter(({ id, deleted, archived }) => !isGone(id) && !deleted && archived !== true);
  if (pinned.length > 0) rows.push({ kind: 'heading', key: 'Pinned', name: 'Pinned' }, ...named('pinned', pinned));
  rows.push({ kind: 'heading', key: 'Projects', name: 'Projects' });
  const [newest] = view.projects;
  for (const listed of view.projects) {
    const group = groupOf(listed);
    const items = parts.whole.get(group.id) ?? listed.items ?? [];
    const usual = listed === newest || view.projects.indexOf(listed) < usuallyOpen;
    rows.push(...groupRows(parts, group, items, group.kind === 'project' && usual));
  }
  if (view.archived > 0) {
    const group = {
      id: archivedGroup,
      kind: 'archived' as const,
      name: 'Archived',
      count: view.archived,
      state: 'done' as const,
    };
    rows.push(...groupRows(parts, group, parts.whole.get(group.id) ?? [], false));
  }
  return rows;
}

const archivedGroup = 'archived';
/** The projects with the latest changes that are open until the reader folds them. */
const usuallyOpen = 2;

function groupOf({ project, name, conversations, directory, state }: ListedProject): NavigatorGroup {
  return {
    id: project,
    kind: project === '' ? 'none' : 'project',
    name: project === '' ? 'No project' : name,
    count: conversations,
    state,
    ...(directory === undefined ? {} : { directory }),
  };
}

function groupRows(
  { folds, latest, isGone, current, whole }: GroupedParts,
  group: NavigatorGroup,
  items: readonly ListedRoot[],
  isUsuallyOpen: boolean,
): NavigatorRow[] {
  const here = items.map(latest).filter(({ id, deleted }) => !isGone(id) && !deleted);
  const left = items.length - here.length;
  const shown = { ...group, count: Math.max(0, group.count - left) };
  if (shown.count === 0) return [];
  const isOpen = folds[group.id] ?? (isUsuallyOpen || here.some(({ id }) => id === current));
  const head: NavigatorRow = { kind: 'group', key: `group ${group.kind} ${group.id}`, group: shown, isOpen };
  if (!isOpen) return [head];
  const more = shown.count - here.length;
  const isWhole = whole.has(group.id);
  return [
    head,
    ...named(group.id, here),
    ...(more > 0 && !isWhole
      ? [{ kind: 'more' as const, key: `more ${group.kind} ${group.id}`, group: shown, count: more }]
      : []),
  ];
}

function named(group: string, items: readonly ListedRoot[]): NavigatorRow[] {
  const names = namesOf(items);
  return items.map((item, index) => ({
    kind: 'conversation',
    key: `${group} ${item.id}`,
    item,
    name: names[index] ?? '',
  }));
}

/** Returns the names of conversations of one list, which tell them apart. */
export function namesOf(items: readonly ListedRoot[]): string[] {
  return toldApart(items.map((item) => ({ name: nameOf(item), hint: branchNoted(item.config) })));
}

/** Conversations with the names of the times that they belong to. They come in order, the one that was changed last first. */
export function navigatorRows(items: readonly ListedRoot[], now: number): NavigatorRow[] {
  const rows: NavigatorRow[] = [];
  const names = namesOf(items);
  let last: string | undefined;
  for (const [index, item] of items.entries()) {
    const name = period(Date.parse(item.updated), now);
    if (name !== last) rows.push({ kind: 'period', key: `period ${name}`, name });
    last = name;
    rows.push({ kind: 'conversation', key: item.id, item, name: names[index] ?? '' });
  }
  return rows;
}

/** Returns the name of a conversation in lists: its title, else a person's first words. */
export function nameOf({ title, opening }: { title?: string; opening: string }): string {
  const name = title ?? oneLine(personWords(opening) || opening);
  return name === '' ? 'Empty conversation' : name;
}

/** Returns true if a conversation is known by its first line alone, which is shown in quotes. */
export function isFirstLine({ title, opening }: { title?: string; opening: string }): boolean {
  return title === undefined && opening !== '';
}
