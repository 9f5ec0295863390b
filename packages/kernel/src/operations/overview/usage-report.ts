import { z } from 'zod';
import { isPlainObject } from '@loom/blocks';
import type { PastCall, Pricing } from '@loom/blocks';
import type { RootSummary } from '../../forest/root-head.ts';
import { addSpent, spentKey } from '../../state/tree/usage-sum.ts';
import type { SpentRow } from '../../state/tree/usage-sum.ts';
import { once } from '../../once.ts';

/** The keys that usage can be listed by. */
export const usageGroups = ['day', 'model', 'project', 'source', 'conversation'] as const;
type UsageGroupName = (typeof usageGroups)[number];

/** The usage on a day, of a model, in a project and so on: the names are those that were asked for. */
export const usageGroup = once(() =>
  z.strictObject({
    day: z.string().exactOptional().describe('In UTC: 2026-11-17.'),
    provider: z.string().exactOptional(),
    model: z.string().exactOptional(),
    project: z
      .string()
      .exactOptional()
      .describe('The working folder of the conversations; empty for those without one.'),
    source: z.string().exactOptional().describe('The program they were imported from, or loom.'),
    conversation: z.string().exactOptional(),
    title: z.string().exactOptional().describe('The title of the conversation, or how it begins.'),
    calls: z.int(),
    input_tokens: z.number().describe('All input, including tokens read from a cache or written to one.'),
    output_tokens: z.number(),
    cached_input_tokens: z.number(),
    cache_write_tokens: z.number().describe('Input tokens that were written to a cache.'),
    cache_write_1h_tokens: z.number().exactOptional().describe('Cache writes that last an hour.'),
    web_searches: z.number().exactOptional().describe('Searches that the provider ran and charges for.'),
    repeated_input_tokens: z
      .number()
      .exactOptional()
      .describe(
        'An estimate of the input tokens that had been cached and were paid for again because something before them changed.',
      ),
    cost_usd: z.number().exactOptional().describe('The total of the calls whose cost is known.'),
    unpriced: z.int().describe('The number of calls whose cost is unknown.'),
    unpriced_models: z.array(z.string()).exactOptional().describe('The models of the calls whose cost is unknown.'),
  }),
);
export type UsageGroup = z.infer<ReturnType<typeof usageGroup>>;

/** The place of a row in lists. */
export function usageKey({ day, provider, model, project, source, conversation }: UsageGroup): string {
  return JSON.stringify([day, provider, model, project, source, conversation]);
}

/** Gathers what conversations have spent, and prices it at the end: rows of many conversations with the same prices at once. */
export class UsageReport {
  readonly #by: ReadonlySet<UsageGroupName>;
  readonly #groups = new Map<string, Group>();

  constructor(by: readonly UsageGroupName[]) {
    this.#by = new Set(by);
  }

  add(root: NamedRoot, row: SpentRow): void {
    const names = this.#namesOf(root, row);
    const key = JSON.stringify(names);
    const group: Group = this.#groups.get(key) ?? { names, rows: new Map<string, SpentRow>() };
    this.#groups.set(key, group);
    const rowKey = spentKey(row);
    const sum = group.rows.get(rowKey);
    group.rows.set(rowKey, sum === undefined ? row : addSpent(sum, row));
  }

  get needsPrices(): boolean {
    return this.#groups.values().some(({ rows }) => rows.values().some((row) => row.cost_usd === undefined));
  }

  /** In the order of their keys. */
  groups(pricing: Pricing): UsageGroup[] {
    const known = new Map<string, Rates | undefined>();
    const costOf = (key: string, row: SpentRow): number | undefined => {
      if (row.cost_usd !== undefined) return row.cost_usd;
      if (!known.has(key)) known.set(key, ratesOf(row, pricing));
      const rates = known.get(key);
      return rates && costAt(rates, row);
    };
    const groups = Array.from(this.#groups.values(), ({ names, rows }) => this.#sum(names, rows, costOf));
    return groups
      .map((group) => ({ group, key: usageKey(group) }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ group }) => group);
  }

  #namesOf({ id, title, opening, config }: NamedRoot, { day, provider, model }: SpentRow): Names {
    return {
      ...(this.#by.has('day') ? { day } : {}),
      ...(this.#by.has('model') ? { provider, model } : {}),
      ...(this.#by.has('project') ? { project: typeof config.directory === 'string' ? config.directory : '' } : {}),
      ...(this.#by.has('source') ? { source: sourceOf(config) } : {}),
      ...(this.#by.has('conversation') ? { conversation: id, title: title ?? opening } : {}),
    };
  }

  #sum(
    names: Names,
    spent: ReadonlyMap<string, SpentRow>,
    costOf: (key: string, row: SpentRow) => number | undefined,
  ): UsageGroup {
    const rows = [...spent.values()];
    const costs = Array.from(spent, ([key, row]) => costOf(key, row));
    const known = costs.filter((cost) => cost !== undefined);
    const unpriced = rows.filter((_, index) => costs[index] === undefined);
    const total = (name: Amount): number => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);
    return {
      ...names,
      calls: total('calls'),
      input_tokens: total('input_tokens'),
      output_tokens: total('output_tokens'),
      cached_input_tokens: total('cached_input_tokens'),
      cache_write_tokens: total('cache_write_tokens'),
      ...unlessZero('cache_write_1h_tokens', total('cache_write_1h_tokens')),
      ...unlessZero('web_searches', total('web_searches')),
      ...unlessZero('repeated_input_tokens', total('repeated_input_tokens')),
      ...(known.length === 0 ? {} : { cost_usd: withoutNoise(known.reduce((sum, cost) => sum + cost, 0)) }),
      unpriced: unpriced.reduce((sum, { calls }) => sum + calls, 0),
      ...(unpriced.length === 0 || this.#by.has('model') ? {} : { unpriced_models: modelsOf(unpriced) }),
    };
  }
}

/** The facts about a conversation that groups are named after. */
type NamedRoot = Pick<RootSummary, 'id' | 'title' | 'opening' | 'config'>;

type Names = Pick<UsageGroup, 'day' | 'provider' | 'model' | 'project' | 'source' | 'conversation' | 'title'>;

interface Group {
  readonly names: Names;
  readonly rows: Map<string, SpentRow>;
}

type Amount = Exclude<keyof SpentRow, 'day' | 'provider' | 'model' | 'size' | 'cost_usd'>;

/** US dollars for one token of each kind, and for one search. */
interface Rates {
  fresh: number;
  cached: number;
  written: number;
  writtenForAnHour: number;
  output: number;
  search: number;
}

/**
 * Returns the prices of a row. Its calls have the same prices, and each price is proportional to its amount: so they are
 * asked for once, with as long an input as the calls have on average, and hold for the rows of all conversations. The few
 * prices that change within a day are taken as of noon, UTC.
 */
function ratesOf({ day, provider, model, calls, input_tokens: all }: SpentRow, pricing: Pricing): Rates | undefined {
  const input = Math.max(1, all / calls);
  const call = { provider, model, time: Date.parse(`${day}T12:00:00Z`), input_tokens: input, output_tokens: 0 };
  const bare = pricing(call);
  if (bare === undefined) return undefined;
  const priceOf = (more: Partial<PastCall>): number => pricing({ ...call, ...more }) ?? bare;
  const hourly = { cache_write_tokens: input, cache_write_1h_tokens: input };
  return {
    fresh: bare / input,
    cached: priceOf({ cached_input_tokens: input }) / input,
    written: priceOf({ cache_write_tokens: input }) / input,
    writtenForAnHour: priceOf(hourly) / input,
    output: (priceOf({ output_tokens: 1_000_000 }) - bare) / 1_000_000,
    search: (priceOf({ web_searches: 1000 }) - bare) / 1000,
  };
}

function costAt(rates: Rates, row: SpentRow): number {
  const { cached_input_tokens: cached = 0, cache_write_tokens: written = 0, cache_write_1h_tokens: hourly = 0 } = row;
  return (
    rates.fresh * Math.max(0, row.input_tokens - cached - written) +
    rates.cached * cached +
    rates.written * (written - hourly) +
    rates.writtenForAnHour * hourly +
    rates.output * row.output_tokens +
    rates.search * (row.web_searches ?? 0)
  );
}

function modelsOf(rows: readonly SpentRow[]): string[] {
  return [...new Set(rows.map(({ provider, model }) => `${provider}/${model}`))].sort();
}

function sourceOf({ origin }: RootSummary['config']): string {
  return isPlainObject(origin) && typeof origin['source'] === 'string' ? origin['source'] : 'loom';
}

function unlessZero<Name extends Amount>(name: Name, value: number): { [Key in Name]?: number };
function unlessZero(name: string, value: number): Record<string, number> {
  return value === 0 ? {} : { [name]: value };
}

/** Removes the last digits, which stem from binary fractions. */
function withoutNoise(cost: number): number {
  return Number(cost.toPrecision(12));
}
