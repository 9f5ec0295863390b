import { z } from 'zod';
import type { NodeState } from '../state/node-state.ts';

/** What the calls of models in a conversation cost, in tokens and, where that was reported, in money. */
export interface UsageTotal {
  input_tokens: number;
  output_tokens: number;
  cost_usd?: number;
}

/** What the calls of one model on one day used. */
export const dayUsage = z.strictObject({
  day: z.string().describe('In UTC: 2026-11-17.'),
  provider: z.string(),
  model: z.string(),
  calls: z.int(),
  input_tokens: z.number().describe('All input; what came from a cache is a part of it.'),
  output_tokens: z.number(),
  cached_input_tokens: z.number(),
  repeated_input_tokens: z
    .number()
    .exactOptional()
    .describe(
      'Of the input, about how much had been in a cache and was paid again after a change of what is before it.',
    ),
  cost_usd: z.number().exactOptional().describe('Of the calls whose cost is known.'),
  unpriced: z.int().describe('How many calls there are whose cost is not known.'),
});
export type DayUsage = z.infer<typeof dayUsage>;

/** Adds up what nodes cost while they come and change, deleted ones too: the tokens were used. */
export class UsageSum {
  readonly #days = new Map<string, Counts>();

  replace(before: NodeState | undefined, after: NodeState): void {
    if (before?.source === after.source) return;
    if (before !== undefined) this.#add(before, -1);
    this.#add(after, 1);
  }

  /** By day, provider and model, in this order. */
  get days(): DayUsage[] {
    const keys = [...this.#days.keys()].sort();
    return keys.flatMap((key) => {
      const counts = this.#days.get(key);
      return counts === undefined ? [] : [asDay(counts)];
    });
  }

  get total(): UsageTotal {
    let [input, output, cost, priced] = [0, 0, 0, 0];
    for (const counts of this.#days.values()) {
      input += counts.input;
      output += counts.output;
      cost += counts.cost;
      priced += counts.priced;
    }
    const tokens = { input_tokens: input, output_tokens: output };
    return priced === 0 ? tokens : { ...tokens, cost_usd: cost / billion };
  }

  #add({ source, time }: NodeState, sign: 1 | -1): void {
    if (source.type !== 'model' || source.usage === undefined) return;
    const { provider, model_name: model, usage } = source;
    const day = new Date(time).toISOString().slice(0, 10);
    const key = usageKey({ day, provider, model });
    const counts = this.#days.get(key) ?? { day, provider, model, ...nothing };
    counts.calls += sign;
    counts.input += sign * usage.input_tokens;
    counts.output += sign * usage.output_tokens;
    counts.cached += sign * (usage.cached_input_tokens ?? 0);
    counts.repeated += sign * (usage.repeated_input_tokens ?? 0);
    if (usage.cost_usd !== undefined) {
      counts.priced += sign;
      counts.cost += sign * Math.round(usage.cost_usd * billion);
    }
    // What is left does not depend on what was there before.
    if (counts.calls === 0) this.#days.delete(key);
    else this.#days.set(key, counts);
  }
}

interface Counts {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  calls: number;
  input: number;
  output: number;
  cached: number;
  repeated: number;
  /** How many calls have a known cost. */
  priced: number;
  /** In billionths of a dollar: whole numbers have the same sum in every order. */
  cost: number;
}

const nothing = { calls: 0, input: 0, output: 0, cached: 0, repeated: 0, priced: 0, cost: 0 };

const billion = 1e9;

function asDay({ day, provider, model, calls, input, output, cached, repeated, priced, cost }: Counts): DayUsage {
  return {
    day,
    provider,
    model,
    calls,
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: cached,
    ...(repeated === 0 ? {} : { repeated_input_tokens: repeated }),
    ...(priced === 0 ? {} : { cost_usd: cost / billion }),
    unpriced: calls - priced,
  };
}

/** The place of a row in lists. */
export function usageKey({ day, provider, model }: Pick<DayUsage, 'day' | 'provider' | 'model'>): string {
  return JSON.stringify([day, provider, model]);
}

/** The sum of what several conversations used, by day, provider and model, in this order. */
export function addUsage(lists: Iterable<readonly DayUsage[]>): DayUsage[] {
  const sums = new Map<string, DayUsage>();
  for (const list of lists) {
    for (const used of list) {
      const key = usageKey(used);
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? used : addDays(sum, used));
    }
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

function addDays(one: DayUsage, other: DayUsage): DayUsage {
  const costs = [one, other].flatMap(({ cost_usd: cost }) => cost ?? []);
  const repeated = (one.repeated_input_tokens ?? 0) + (other.repeated_input_tokens ?? 0);
  return {
    ...one,
    calls: one.calls + other.calls,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    ...(repeated === 0 ? {} : { repeated_input_tokens: repeated }),
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((sum, cost) => sum + cost) }),
    unpriced: one.unpriced + other.unpriced,
  };
}
