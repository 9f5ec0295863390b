import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { objectIn, textIn } from '../../foreign/fields.ts';

/** The cost of a run. `input_tokens` includes tokens read from and written to the cache. */
export interface Spending {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  cost_usd: number;
}

/**
 * Adds up the costs in the results of a run. Each states the cost of the run so far, including the part before it was resumed; current versions also
 * state the cost since the last one.
 */
export class SpendingCounter {
  readonly #total: Spending = none();
  /** The last report of each model, by session: a reset starts over. */
  #last = new Map<string, Spending>();
  #session: string | undefined;
  #lastCost = 0;
  #hasReport = false;

  get total(): Spending | undefined {
    return this.#hasReport ? { ...this.#total } : undefined;
  }

  take(result: PlainObject): void {
    const session = textIn(result.session_id);
    if (session !== this.#session) {
      this.#last = new Map();
      this.#lastCost = 0;
    }
    const isFirst = !this.#hasReport || session !== this.#session;
    this.#session = session;
    const [sinceLast, all] = [objectIn(result.model_usage_since_last_result), objectIn(result.modelUsage)];
    if (sinceLast !== undefined) this.#addModels(sinceLast, false);
    else if (all !== undefined && !isFirst) this.#addModels(all, true);
    else if (objectIn(result.usage) !== undefined) this.#addTurn(result);
    else return;
    this.#hasReport = true;
    this.#remember(all, result.total_cost_usd);
  }

  #addModels(models: PlainObject, isRunning: boolean): void {
    for (const [name, model] of Object.entries(models)) {
      if (!isPlainObject(model)) continue;
      const now = ofModel(model);
      const before = isRunning ? (this.#last.get(name) ?? none()) : none();
      for (const field of fields) this.#total[field] += Math.max(0, now[field] - before[field]);
    }
  }

  /** Older versions report the tokens of this turn only, and the cost of the run so far. */
  #addTurn(result: PlainObject): void {
    const usage = objectIn(result.usage) ?? {};
    const [read, written] = [count(usage.cache_read_input_tokens), count(usage.cache_creation_input_tokens)];
    this.#total.input_tokens += count(usage.input_tokens) + read + written;
    this.#total.output_tokens += count(usage.output_tokens);
    this.#total.cached_input_tokens += read;
    this.#total.cache_write_tokens += written;
    this.#total.cost_usd += Math.max(0, count(result.total_cost_usd) - this.#lastCost);
  }

  #remember(models: PlainObject | undefined, cost: unknown): void {
    this.#lastCost = Math.max(this.#lastCost, count(cost));
    for (const [name, model] of Object.entries(models ?? {}))
      if (isPlainObject(model)) this.#last.set(name, ofModel(model));
  }
}

/** Returns the part of a cost that came since an earlier one. */
export function spentSince(before: Spending | undefined, after: Spending | undefined): Spending | undefined {
  if (after === undefined || before === undefined) return after;
  const spent = none();
  for (const field of fields) spent[field] = after[field] - before[field];
  return spent;
}

const fields = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'cost_usd'] as const;

function none(): Spending {
  return { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, cost_usd: 0 };
}

function ofModel(model: PlainObject): Spending {
  const [read, written] = [count(model.cacheReadInputTokens), count(model.cacheCreationInputTokens)];
  return {
    input_tokens: count(model.inputTokens) + read + written,
    output_tokens: count(model.outputTokens),
    cached_input_tokens: read,
    cache_write_tokens: written,
    cost_usd: count(model.costUSD),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
