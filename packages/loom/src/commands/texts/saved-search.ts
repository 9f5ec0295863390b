import { nearest } from '@loom/blocks/nearest-word';
import type { Call } from '../../command-line/command.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import type { Loom } from '../../runtime/loom.ts';
import { textOption } from '../../texts/number-option.ts';
import { orFail } from '../../words/refusal-error.ts';

/** A search as it is kept beside conversations, in the words of the page. */
export interface SavedSearch {
  readonly name: string;
  readonly query: string;
}

type Options = Call['options'];

/** The options that have a filter in the page, by the name of the filter. */
const listed = { kind: 'kind', agent: 'agent', role: 'role', project: 'project', source: 'source', model: 'model' };
const single = { path: 'path', after: 'after', before: 'before' };
const prefix = 'searches/';

/** Lists the saved searches of the person, also those that the page has kept, which are called by their own words. */
export async function savedSearches(loom: Loom): Promise<SavedSearch[]> {
  const { items } = orFail(await loom.call('home.list', { prefix, limit: 500 }));
  return items.flatMap(({ value: { query, name = query } }) =>
    typeof query === 'string' && typeof name === 'string' ? [{ name, query }] : [],
  );
}

/** Keeps a search under a name; one of the same name is replaced. */
export async function saveSearch(loom: Loom, name: string, query: string): Promise<void> {
  const key = prefix + encodeURIComponent(name).slice(0, longestKey);
  orFail(await loom.call('home.set', { entries: [{ key, value: { name, query } }] }));
}

const longestKey = 180;

/** Returns the saved search of a name. */
export async function findSaved(loom: Loom, name: string): Promise<SavedSearch> {
  const known = await savedSearches(loom);
  const found = known.find((one) => one.name === name);
  if (found !== undefined) return found;
  const guess = nearest(
    name,
    known.map((one) => one.name),
  );
  throw new LoomError('no-search', `there is no saved search ${JSON.stringify(name)}`, {
    advice: guess === undefined ? 'With --saved alone it lists them.' : `Did you mean ${guess}?`,
  });
}

/** Writes a search as the page does: its filters, then its words; a pattern stands between slashes. */
export function writeSearch(query: string, options: Options): string {
  for (const name of ['root', 'case-sensitive']) {
    if (options.has(name))
      throw new UsageError('bad-option', `a search with --${name} cannot be saved: the page has no such filter`);
  }
  const filters = Object.entries(listed).flatMap(([option, filter]) =>
    (textOption(options, option) ?? '')
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean)
      .map((value) => filterWords(filter, value)),
  );
  for (const [option, filter] of Object.entries(single)) {
    const value = textOption(options, option);
    if (value !== undefined) filters.push(filterWords(filter, value));
  }
  if (options.has('errors')) filters.push('error:true');
  const isPlain = options.has('literal') || !/[\\^$.|?*+()[\]{}]/u.test(query);
  return [...filters, isPlain ? query : `/${query}/i`].join(' ').trim();
}

/** Reads a search that the page or the command has saved, as a query and options. */
export function readSearch({ name, query }: SavedSearch): { query: string; options: Options } {
  const options = new Map<string, string | true>();
  const names = new Map<string, string>(
    [...Object.entries(listed), ...Object.entries(single)].map(([option, filter]) => [filter, option]),
  );
  const text = [...query.matchAll(part)]
    .flatMap(([whole, filter, quoted, bare]) => {
      const value = quoted ?? bare ?? '';
      const option = filter === undefined ? undefined : names.get(filter);
      if (filter === 'has' || filter === 'in') throw unreadable(name, whole);
      if (filter === 'error') options.set('errors', true);
      else if (option === undefined) return [whole];
      else {
        const before = options.get(option);
        options.set(option, typeof before === 'string' && option in listed ? `${before},${value}` : value);
      }
      return [];
    })
    .join(' ');
  const [, pattern, flag] = /^\/(.+)\/(i?)$/u.exec(text) ?? [];
  if (pattern === undefined) options.set('literal', true);
  else if (flag === '') options.set('case-sensitive', true);
  return { query: pattern ?? text, options };
}

/** A filter with its value, which may stand in quotation marks, or a word. */
const part = /(?<!\S)([a-z]+):(?:"([^"]+)"|([^\s"]+))(?!\S)|\S+/gu;

function unreadable(name: string, filter: string): LoomError {
  return new LoomError('search-of-page', `${JSON.stringify(name)} has the filter ${filter}, which only the page has`, {
    advice: 'Open it there.',
  });
}

function filterWords(filter: string, value: string): string {
  return `${filter}:${/\s/u.test(value) ? `"${value}"` : value}`;
}
