import type { TokenPrice } from '@loom/blocks';

/** Returns the price of reading so many tokens, in US dollars; those from a cache at the cache's price, if that is known. */
export function priceOfTokens(
  { input, cacheRead = input }: TokenPrice,
  { fresh, cached }: { fresh: number; cached: number },
): number {
  return (fresh * input + cached * cacheRead) / 1_000_000;
}
