import type { ResultOf } from '@loom/kernel';
import { describeCost } from '../models/price-words.ts';
import { count } from '../terminal/progress.ts';

type Cost = ResultOf<'context.cost'>['costs'][number];

/** Words what another system prompt costs the branches of a conversation; `undefined` if nothing. */
export function wordPromptPrice(costs: readonly Cost[]): string | undefined {
  if (costs.length === 0) return undefined;
  const tokens = Math.max(...costs.map(({ tokens_again: again }) => again));
  const thoughts = new Set(costs.flatMap(({ invalid_thinking: thinking }) => thinking)).size;
  const dollars = costs.find(({ tokens_again: again }) => again === tokens)?.cost_usd;
  const price = dollars === undefined ? '' : `, about ${describeCost(dollars)}`;
  const parts = [
    `the next answer reads about ${count(tokens, 'token')} again${price}`,
    ...(thoughts === 0 ? [] : [`${count(thoughts, 'thought')} can no longer be shown to the model`]),
  ];
  const branches = costs.length === 1 ? '' : `, on each of ${costs.length} branches that goes on`;
  return `This ends the prompt cache: ${parts.join(', and ')}${branches}.`;
}
