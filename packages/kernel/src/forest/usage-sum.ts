import type { SourceInfo } from '../state/node-metadata.ts';

/** What the calls of models in a conversation cost, in tokens and, where that was reported, in money. */
export interface UsageTotal {
  input_tokens: number;
  output_tokens: number;
  cost_usd?: number;
}

/** Adds up what nodes cost while they come and change, deleted ones too: the tokens were used. */
export class UsageSum {
  #input = 0;
  #output = 0;
  /** In billionths of a dollar: whole numbers have the same sum in every order. */
  #cost = 0;
  #hasCost = false;

  replace(before: SourceInfo | undefined, after: SourceInfo): void {
    if (before === after) return;
    this.#add(before, -1);
    this.#add(after, 1);
  }

  get total(): UsageTotal {
    const tokens = { input_tokens: this.#input, output_tokens: this.#output };
    return this.#hasCost ? { ...tokens, cost_usd: this.#cost / billion } : tokens;
  }

  #add(source: SourceInfo | undefined, sign: 1 | -1): void {
    if (source?.type !== 'model' || source.usage === undefined) return;
    const { input_tokens, output_tokens, cost_usd } = source.usage;
    this.#input += sign * input_tokens;
    this.#output += sign * output_tokens;
    if (cost_usd === undefined) return;
    this.#cost += sign * Math.round(cost_usd * billion);
    this.#hasCost = true;
  }
}

const billion = 1e9;
