/** The filters of a search. */
export const filterNames = [
  'kind',
  'agent',
  'role',
  'has',
  'project',
  'source',
  'model',
  'path',
  'in',
  'error',
  'after',
  'before',
] as const;
export type FilterName = (typeof filterNames)[number];

export interface Filter {
  readonly name: FilterName;
  readonly value: string;
}

/** A parsed search. */
export interface Query {
  readonly filters: readonly Filter[];
  readonly text: string;
}

/** The kinds of blocks that can be looked for by name. */
export const searchableKinds = [
  'text',
  'thinking',
  'tool_call',
  'tool_result',
  'command',
  'code',
  'file_change',
  'todo',
  'sources',
  'error',
] as const;

const word =
  /(?:^|(?<=\s))(kind|agent|role|has|project|source|model|path|in|error|after|before):(?:"([^"]+)"|([^\s"]+))(\s+|$)/gu;

/**
 * Takes the filters out of the typed text. While something is being typed, only those are taken that are followed by a space: the word at
 * the end may go on.
 */
export function takeFilters(text: string, { isTyping }: { isTyping: boolean }): Query {
  const filters: Filter[] = [];
  const rest = text.replaceAll(word, (whole, name: string, quoted?: string, bare?: string, end = '') => {
    const filter = filterOf(name, quoted ?? bare ?? '');
    if (filter === undefined || (isTyping && end === '')) return whole;
    filters.push(filter);
    return '';
  });
  return { filters, text: rest };
}

function filterOf(word: string, value: string): Filter | undefined {
  const name = filterNames.find((known) => known === word);
  if (name === undefined) return undefined;
  if (name === 'in') return value === 'this' ? { name, value } : undefined;
  if (name === 'has') return value === 'diff' ? { name, value } : undefined;
  if (name === 'role') return ['user', 'assistant', 'tool'].includes(value) ? { name, value } : undefined;
  if (name === 'error') return ['true', 'yes'].includes(value) ? { name, value: 'true' } : undefined;
  return { name, value };
}

/** Adds a filter; one that can hold only once replaces the one before. */
export function withFilter(filters: readonly Filter[], filter: Filter): Filter[] {
  const isSeveral = several.has(filter.name);
  const others = filters.filter(({ name, value }) => name !== filter.name || (isSeveral && value !== filter.value));
  return [...others, filter];
}

/** The filters whose values add up. */
const several: ReadonlySet<FilterName> = new Set(['kind', 'agent', 'role', 'project', 'source', 'model']);

/** A filter as it is typed. */
export function writeFilter({ name, value }: Filter): string {
  return `${name}:${/\s/u.test(value) ? `"${value}"` : value}`;
}

/** Writes the whole query in one line, for the list of recent searches. */
export function writeQuery({ filters, text }: Query): string {
  return [...filters.map(writeFilter), text.trim()].filter((part) => part !== '').join(' ');
}

/** A regular expression stands between slashes; `i` behind it takes small and capital letters as the same. */
export function patternOf(text: string): { pattern: string; ignoreCase: boolean } | undefined {
  const [, pattern, flag] = /^\/(.+)\/(i?)$/u.exec(text.trim()) ?? [];
  return pattern === undefined ? undefined : { pattern, ignoreCase: flag === 'i' };
}
