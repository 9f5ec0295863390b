import { z } from 'zod';
import { billedParts } from '../billed-parts.ts';
import type { NodeState } from '../node-state.ts';

/** The cost of the model calls in a conversation, in tokens and, where that was reported, in money. */
export interface UsageTotal {
  input_tokens: number;
  output_tokens: number;
  cost_usd?: number;
}

const counted = z.number().exactOptional();

/**
 * The usage of one model's calls on one day. Calls whose cost was kept with them and calls that have to be priced are apart,
 * the latter by size too: everything in a row has the same prices, so that its sum can be priced. Counts of zero are left
 * out.
 */
export const spentRow = z.strictObject({
  /** In UTC: 2026-11-17. */
  day: z.string(),
  provider: z.string(),
  model: z.string(),
  calls: z.int(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_input_tokens: counted,
  /** All cache writes. */
  cache_write_tokens: counted,
  cache_write_1h_tokens: counted,
  web_searches: counted,
  repeated_input_tokens: counted,
  /** The cost kept with the calls; without it they have to be priced. */
  cost_usd: z.number().exactOptional(),
  /** Into which of the `sizes` the calls fall, where they have to be priced and it is not the first. */
  size: z.int().exactOptional(),
});
export type SpentRow = z.infer<typeof spentRow>;

/** The lengths of input, in tokens, beyond which vendors charge other prices for a call. */
const sizes = [128_000, 200_000, 272_000, 512_000] as const;

/** Adds up what nodes cost while they come and change, deleted ones too: the tokens were used. */
export class UsageSum {
  readonly #rows = new Map<string, Counts>();

  replace(before: NodeState | undefined, after: NodeState): void {
    if (before?.source === after.source) return;
    if (before !== undefined) this.#add(before, -1);
    this.#add(after, 1);
  }

  /** In the order of their keys. */
  get rows(): SpentRow[] {
    const keys = [...this.#rows.keys()].sort();
    return keys.flatMap((key) => {
      const counts = this.#rows.get(key);
      return counts === undefined ? [] : [asRow(counts)];
    });
  }

  get total(): UsageTotal {
    let [input, output, cost, isPriced] = [0, 0, 0, false];
    for (const { amounts, kept } of this.#rows.values()) {
      input += amounts.input_tokens;
      output += amounts.output_tokens;
      cost += kept ?? 0;
      isPriced ||= kept !== undefined;
    }
    const tokens = { input_tokens: input, output_tokens: output };
    return isPriced ? { ...tokens, cost_usd: cost / billion } : tokens;
  }

  #add({ source, time }: NodeState, sign: 1 | -1): void {
    if (source.type !== 'model' || source.usage === undefined) return;
    const { provider, model_name: model, usage } = source;
    const isKept = usage.cost_usd !== undefined;
    const size = isKept ? 0 : sizes.filter((border) => usage.input_tokens > border).length;
    const place = { day: new Date(time).toISOString().slice(0, 10), provider, model, size };
    const key = spentKey({ ...place, ...(isKept ? { cost_usd: 0 } : {}) });
    const counts = this.#rows.get(key) ?? { ...place, amounts: { ...nothing }, ...(isKept ? { kept: 0 } : {}) };
    const more = { ...usage, ...billedParts(usage), calls: 1 };
    for (const name of amountNames) counts.amounts[name] += sign * (more[name] ?? 0);
    if (counts.kept !== undefined) counts.kept += sign * Math.round((usage.cost_usd ?? 0) * billion);
    // The remaining counts do not depend on earlier ones.
    if (counts.amounts.calls === 0) this.#rows.delete(key);
    else this.#rows.set(key, counts);
  }
}

const amountNames = [
  'calls',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'web_searches',
  'repeated_input_tokens',
] as const;
type Amounts = Record<(typeof amountNames)[number], number>;

interface Counts {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly size: number;
  readonly amounts: Amounts;
  /** The cost kept with the calls, in billionths of a dollar: whole numbers have the same sum in every order. */
  kept?: number;
}

const nothing: Amounts = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  web_searches: 0,
  repeated_input_tokens: 0,
};

const billion = 1e9;

function asRow({ day, provider, model, size, amounts, kept }: Counts): SpentRow {
  const { calls, input_tokens, output_tokens, ...parts } = amounts;
  const used = Object.fromEntries(Object.entries(parts).filter(([, amount]) => amount !== 0));
  return {
    day,
    provider,
    model,
    calls,
    input_tokens,
    output_tokens,
    ...used,
    ...(kept === undefined ? {} : { cost_usd: kept / billion }),
    ...(size === 0 ? {} : { size }),
  };
}

/** Rows with the same key have the same prices. */
export function spentKey(row: Pick<SpentRow, 'day' | 'provider' | 'model' | 'size' | 'cost_usd'>): string {
  const { day, provider, model, size = 0, cost_usd: kept } = row;
  return JSON.stringify([day, provider, model, kept === undefined ? size : 'kept']);
}

/** The sum of two rows with the same key. */
export function addSpent(one: SpentRow, other: SpentRow): SpentRow {
  const sum = { ...one };
  for (const name of [...amountNames, 'cost_usd'] as const) {
    const value = (one[name] ?? 0) + (other[name] ?? 0);
    if (one[name] !== undefined || other[name] !== undefined) sum[name] = value;
  }
  return sum;
}
