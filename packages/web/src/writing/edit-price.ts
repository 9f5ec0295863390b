import type { ResultOf } from '@loom/kernel';
import { aboutDollars, count, tokens } from '../words/amounts.ts';

type Costs = ResultOf<'context.cost'>;
type Size = ResultOf<'context.size'>;

/** Words the cost of saving in place for all branches below. */
export function inPlaceWords(
  { costs, unseen }: Costs,
  branches: number,
  isFree = false,
): { price: string; about: string } {
  const again = costs.reduce((sum, cost) => sum + cost.tokens_again, 0);
  const thinking = costs.reduce((sum, cost) => sum + cost.invalid_thinking.length, 0);
  const isPriced = costs.every(({ cost_usd: cost }) => cost !== undefined);
  const money = costs.reduce((sum, { cost_usd: cost = 0 }) => sum + cost, 0);
  const price =
    again === 0
      ? 'nothing is paid again'
      : isFree
        ? `${tokens(again)} tokens read again · free`
        : `${tokens(again)} tokens paid again · ${isPriced ? aboutDollars(money) : 'price unknown'}`;
  const written = branches === 1 ? 'What is below was' : `${count(branches, 'branch', 'branches')} below were`;
  const invalid =
    thinking === 0
      ? ''
      : ` ${count(thinking, 'thinking block')} ${thinking === 1 ? 'becomes' : 'become'} invalid and ${thinking === 1 ? 'is' : 'are'} no longer sent.`;
  const older = unseen === 0 ? '' : ` ${count(unseen, 'older branch', 'older branches')} not counted.`;
  return {
    price,
    about: `The old text stays in the history. ${written} written after the old text.${invalid}${older}`,
  };
}

/**
 * Estimates what a model would read to answer a message with another text: the approximate number of tokens, how many of them from the
 * cache, and the price.
 */
export function runEstimate(
  size: Size,
  oldText: string,
  newText: string,
): { read: number; cached: number; price: number | undefined } {
  const tokensOf = (text: string): number => Math.ceil(text.length * 0.3);
  const before = Math.max(0, size.tokens - tokensOf(oldText));
  const read = before + tokensOf(newText);
  const cached = Math.min(size.cached, before);
  const { uncached_cost_usd: full, input_cost_usd: discounted } = size;
  if (full === undefined || discounted === undefined || size.tokens === 0) return { read, cached, price: undefined };
  const each = full / size.tokens;
  const saved = size.cached === 0 ? 0 : (full - discounted) / size.cached;
  return { read, cached, price: read * each - cached * saved };
}

export function runWords(size: Size, oldText: string, newText: string): { price: string; about: string } {
  const { read, cached, price } = runEstimate(size, oldText, newText);
  const money =
    price === undefined ? 'price unknown' : price === 0 ? 'costs nothing' : `${aboutDollars(price)} + the answer`;
  const fromCache =
    cached === 0
      ? `It reads ${tokens(read)} tokens.`
      : `${tokens(cached)} of ${tokens(read)} tokens come from the cache.`;
  return { price: money, about: fromCache };
}
