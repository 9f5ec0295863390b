import type { ResultOf } from '@loom/kernel';

/** The usage on a day, of a model, in a project and so on. */
export type UsageRow = ResultOf<'usage.list'>['items'][number];

/** The usage on a day, of one model. */
export type DayUsage = UsageRow & { day: string; provider: string; model: string };

export interface Sum {
  readonly calls: number;
  readonly newInput: number;
  readonly cached: number;
  /** The tokens written to a cache. */
  readonly written: number;
  readonly output: number;
  /** The approximate part of the new input that had been in a cache before something was changed. */
  readonly repeated: number;
  /** The cost of the calls whose price is known. */
  readonly cost: number;
  /** Calls whose price is not known. */
  readonly unpriced: number;
}

const nothing: Sum = { calls: 0, newInput: 0, cached: 0, written: 0, output: 0, repeated: 0, cost: 0, unpriced: 0 };

export function sumOf(rows: readonly UsageRow[]): Sum {
  return rows.reduce(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      newInput: sum.newInput + Math.max(0, row.input_tokens - row.cached_input_tokens - row.cache_write_tokens),
      cached: sum.cached + row.cached_input_tokens,
      written: sum.written + row.cache_write_tokens,
      output: sum.output + row.output_tokens,
      repeated: sum.repeated + (row.repeated_input_tokens ?? 0),
      cost: sum.cost + (row.cost_usd ?? 0),
      unpriced: sum.unpriced + row.unpriced,
    }),
    nothing,
  );
}

export function tokensOf({ newInput, cached, written, output }: Sum): number {
  return newInput + cached + written + output;
}

/** Returns the share of the input that came from a cache, from 0 to 1; `undefined` without input. */
export function cachedShare({ newInput, cached, written }: Sum): number | undefined {
  const input = newInput + cached + written;
  return input === 0 ? undefined : cached / input;
}

export interface DaySum {
  /** `2026-11-17` */
  readonly day: string;
  readonly sum: Sum;
  /** The cost of each of some models, in their order, then of all others. */
  readonly costs: readonly number[];
}

/** Returns every day from the first to the last, those without use too. `models` are those that are told apart. */
export function byDay(rows: readonly DayUsage[], { from, to, models }: DayRange): DaySum[] {
  const days = Map.groupBy(rows, ({ day }) => day);
  return daysBetween(from, to).map((day) => {
    const own = days.get(day) ?? [];
    const costOf = (isIt: (model: string) => boolean): number => sumOf(own.filter(({ model }) => isIt(model))).cost;
    const costs = models.map((model) => costOf((other) => other === model));
    return { day, sum: sumOf(own), costs: [...costs, costOf((model) => !models.includes(model))] };
  });
}

interface DayRange {
  readonly from: string;
  readonly to: string;
  readonly models: readonly string[];
}

export interface ModelSum {
  readonly model: string;
  readonly provider: string;
  readonly sum: Sum;
}

/** Returns the usage of each model, the costliest first. */
export function byModel(rows: readonly DayUsage[]): ModelSum[] {
  const groups = Map.groupBy(rows, ({ provider, model }) => `${provider} ${model}`);
  return [...groups.values()]
    .map((own) => ({ model: own[0]?.model ?? '', provider: own[0]?.provider ?? '', sum: sumOf(own) }))
    .sort((one, other) => other.sum.cost - one.sum.cost || tokensOf(other.sum) - tokensOf(one.sum));
}

/** The models with calls that have no known price, with how many, most first. */
export function unpricedModels(rows: readonly DayUsage[]): { name: string; calls: number }[] {
  const groups = Map.groupBy(
    rows.filter(({ unpriced }) => unpriced > 0),
    ({ provider, model }) => `${provider}/${model}`,
  );
  return Array.from(groups, ([name, own]) => ({ name, calls: sumOf(own).unpriced })).sort(
    (one, other) => other.calls - one.calls,
  );
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += 86_400_000) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  return days;
}
