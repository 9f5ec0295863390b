import type { ModelInfo, ProviderInfo } from './model-answers.ts';

/** The models of one provider that match the typed text. */
export interface ModelGroup {
  readonly provider: string;
  readonly info: ProviderInfo | undefined;
  readonly models: readonly ModelInfo[];
}

export interface Filtered {
  readonly groups: readonly ModelGroup[];
  /** The number of further matches that are not listed. */
  readonly more: number;
  /** The number left out because newer models have taken their place. */
  readonly older: number;
}

/** Returns true if a name has all words in it, in any order. */
export function matches(name: string, query: string): boolean {
  const text = name.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

export interface FilterOptions {
  hidden?: readonly string[];
  /** The models that answer now, which are listed even if they are older. */
  chosen?: readonly string[];
  withOlder?: boolean;
  limit?: number;
}

/**
 * The models whose names have all words of a query in them, by provider: those that can be asked first, and at most `limit`, since routers
 * have hundreds. Without a query, models that cannot be asked or that the reader has hidden are left out, and older ones unless they
 * are wanted or chosen.
 */
export function filterModels(
  models: readonly ModelInfo[],
  providers: readonly ProviderInfo[],
  query: string,
  { hidden = [], chosen = [], withOlder = false, limit = 80 }: FilterOptions = {},
): Filtered {
  const wanted = query.trim();
  const fitting = models.filter((model) =>
    wanted === '' ? model.usable && !hidden.includes(model.name) : matches(`${model.name} ${model.provider}`, wanted),
  );
  const isKept = ({ name, older }: ModelInfo): boolean => older !== true || chosen.includes(name);
  const found = withOlder || wanted !== '' ? fitting : fitting.filter(isKept);
  const shown = [...found.filter(({ usable }) => usable), ...found.filter(({ usable }) => !usable)].slice(0, limit);
  const names = [...new Set(shown.map(({ provider }) => provider))];
  const groups = names.map((provider) => ({
    provider,
    info: providers.find(({ name }) => name === provider),
    models: shown.filter((model) => model.provider === provider),
  }));
  return { groups, more: found.length - shown.length, older: fitting.length - found.length };
}

/** Providers that could be asked if something were done: a key, a server that runs. Remote ones first. */
export function unusable(providers: readonly ProviderInfo[]): ProviderInfo[] {
  const closed = providers.filter(({ usable }) => !usable);
  return [...closed.filter(({ local }) => !local), ...closed.filter(({ local }) => local)];
}
