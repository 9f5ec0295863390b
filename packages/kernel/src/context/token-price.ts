import type { TokenPrice } from '@loom/blocks';

/** What reading so many tokens costs, in US dollars; those from a cache at its price, where that is known. */
export function priceOfTokens(
  { input, cacheRead = input }: TokenPrice,
  { fresh, cached }: { fresh: number; cached: number },
): number {
  return (fresh * input + cached * cacheRead) / 1_000_000;
}
