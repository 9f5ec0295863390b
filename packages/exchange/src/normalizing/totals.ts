import type { ForeignNode } from '../foreign/foreign.ts';

/** The cost of the model calls, as on the last line. */
export interface Totals {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  cost_usd: number;
}

type Usage = Partial<Totals>;
const fields = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost_usd',
] as const;

/** Adds up the usage of answers, each once: a report that comes again, grown, replaces the earlier one. */
export class UsageCounter {
  readonly #answers = new Map<string, Usage>();

  take({ conversation, id, source }: ForeignNode): void {
    if (source.type !== 'model' || source.usage === undefined) return;
    const usage: Usage = {};
    for (const field of fields) {
      const value = source.usage[field];
      if (value !== undefined) usage[field] = value;
    }
    this.#answers.set(`${conversation}\n${id}`, usage);
  }

  /** Returns the sum, or the stream's own total of the run; zeros are left out except for input and output tokens. */
  line(reported: Usage | undefined): object {
    const sum: Totals = {
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      cost_usd: 0,
    };
    for (const usage of reported === undefined ? this.#answers.values() : [reported]) {
      for (const field of fields) sum[field] += usage[field] ?? 0;
    }
    const told = fields.filter((field) => sum[field] > 0 || field === 'input_tokens' || field === 'output_tokens');
    // Sums of cents have meaningless digits.
    const round = (value: number): number => Math.round(value * 1e9) / 1e9;
    return { type: 'usage', ...Object.fromEntries(told.map((field) => [field, round(sum[field])])) };
  }
}
