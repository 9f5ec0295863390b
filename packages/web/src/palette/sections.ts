import type { ListedRoot } from '@loom/kernel';
import type { Action } from '../actions/actions.ts';
import { nameOf } from '../navigator/navigator-rows.ts';
import { count } from '../words/amounts.ts';
import { conversationsOf } from './hit-groups.ts';
import type { Hit, SearchState } from './block-searches.ts';
import type { Query } from './query.ts';

/** One line of the palette that can be chosen. */
export type Option =
  | { readonly kind: 'action'; readonly key: string; readonly action: Action }
  | { readonly kind: 'conversation'; readonly key: string; readonly item: ListedRoot }
  | { readonly kind: 'hit'; readonly key: string; readonly hit: Hit }
  | { readonly kind: 'recent'; readonly key: string; readonly text: string }
  /** Shows the rest of the results. */
  | { readonly kind: 'more'; readonly key: string; readonly label: string }
  /** Searches the conversations that were not searched yet. */
  | { readonly kind: 'search-on'; readonly key: string; readonly label: string };

export interface Section {
  /** A key different from that of any other section. */
  readonly key: string;
  readonly name: string;
  readonly note?: string;
  readonly options: readonly Option[];
}

interface Source {
  readonly query: Query;
  readonly search: SearchState;
  readonly actions: readonly Action[];
  readonly conversations: readonly ListedRoot[];
  readonly recent: readonly string[];
  /** True if all results are shown. */
  readonly isWhole: boolean;
}

const mostConversations = 5;
const mostActions = 4;
/** The number of conversations with matches shown at first. */
const firstGroups = 4;

/**
 * Returns the sections of the palette. Those known at once stand above those a search brings later, so that nothing moves under the reader;
 * with filters a block is looked for, and blocks come first.
 */
export function sectionsOf({ query, search, actions, conversations, recent, isWhole }: Source): Section[] {
  const text = query.text.trim();
  if (text.startsWith('>')) return sections([doing(matching(actions, text.slice(1)))]);
  if (text === '' && query.filters.length === 0) {
    return sections([
      {
        key: 'recent',
        name: 'Recent searches',
        options: recent.map((text) => ({ kind: 'recent', key: `recent ${text}`, text })),
      },
      talks(conversations.slice(0, mostConversations), 'Recent conversations'),
      doing(actions),
    ]);
  }
  if (text === '') return [];
  const found = blocks(search, isWhole, conversations);
  const possible = matching(actions, text).slice(0, mostActions);
  if (query.filters.length > 0) return sections([...found, doing(possible)]);
  const named = conversations.filter((item) => hasWords(`${nameOf(item)} ${item.tags.join(' ')}`, text));
  return sections([doing(possible), talks(named.slice(0, mostConversations), 'Conversations'), ...found]);
}

function sections(all: readonly Section[]): Section[] {
  return all.filter(({ options }) => options.length > 0);
}

function doing(actions: readonly Action[]): Section {
  return {
    key: 'do',
    name: 'Do',
    options: actions.map((action) => ({ kind: 'action', key: `do ${action.id}`, action })),
  };
}

function talks(items: readonly ListedRoot[], name: string): Section {
  return {
    key: 'conversations',
    name,
    options: items.map((item) => ({ kind: 'conversation', key: `conversation ${item.id}`, item })),
  };
}

function blocks(search: SearchState, isWhole: boolean, conversations: readonly ListedRoot[]): Section[] {
  const { hits, others, counts, next } = search;
  const groups = conversationsOf(hits, conversations);
  const shown = isWhole ? groups : groups.slice(0, firstGroups);
  const left = groups.length - shown.length;
  const more: Option[] =
    left === 0 ? [] : [{ kind: 'more', key: 'more', label: `${count(left, 'more conversation')} with matches` }];
  const on: Option[] = next === undefined ? [] : [{ kind: 'search-on', key: 'search on', label: 'Search the rest' }];
  const listed = (list: readonly Hit[]): Option[] =>
    list.map((hit) => ({ kind: 'hit', key: `block ${hit.block}`, hit }));
  return [
    ...shown.map(({ root, name, hits: own }): Section => {
      const all = counts.get(root) ?? own.length;
      const note = all > own.length ? `${own.length} of ${count(all, 'block')}` : count(all, 'block');
      return { key: `blocks ${root}`, name, note, options: listed(own) };
    }),
    { key: 'more', name: 'Not shown', options: [...more, ...on] },
    {
      key: 'others',
      name: 'Without the filters',
      note: `${others.length} more`,
      options: listed(isWhole ? others : others.slice(0, 5)),
    },
  ];
}

function matching(actions: readonly Action[], text: string): Action[] {
  return actions.filter(({ label }) => hasWords(label, text));
}

/** Returns true if each word that was typed is in a name. */
function hasWords(name: string, text: string): boolean {
  const within = name.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => within.includes(word));
}

/** The option that an arrow leads to. At the ends it stays. */
export function stepFrom(sections: readonly Section[], key: string | undefined, step: 1 | -1): string | undefined {
  const keys = sections.flatMap(({ options }) => options.map((option) => option.key));
  const at = Math.max(0, keys.indexOf(key ?? ''));
  return keys[Math.max(0, Math.min(at + step, keys.length - 1))];
}
