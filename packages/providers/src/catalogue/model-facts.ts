/** The known facts about a model. Unknown ones are missing. */
export interface ModelFacts {
  /** Tokens of input and output together. */
  context?: number;
  /** The longest answer, in tokens. */
  output?: number;
  price?: ModelPrice;
  /** True if it takes images. */
  images?: boolean;
  /** True if it takes PDF files. */
  files?: boolean;
  thinking?: boolean;
  tools?: boolean;
}

/** US dollars per million tokens. If long requests cost more, these are the prices of short ones. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** The user's facts about a model, which replace or complete those of the catalogue. */
export type ModelOverride = Omit<ModelFacts, 'price'> & { price?: Partial<ModelPrice> };

/** The usage of a call. `input_tokens` counts all input, including tokens read from or written to a cache. */
export interface TokenCounts {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number;
  /** All cache writes, including those that are kept for an hour. */
  cache_write_tokens?: number;
  cache_write_1h_tokens?: number;
  web_searches?: number;
}

/** Returns the cost of these tokens at these prices, in US dollars. Cached tokens without a separate price cost the same as others. */
export function costAt(
  { input, output, cacheRead = input, cacheWrite = input }: ModelPrice,
  used: TokenCounts,
): number {
  const { input_tokens, output_tokens, cached_input_tokens: read = 0, cache_write_tokens: written = 0 } = used;
  const fresh = Math.max(0, input_tokens - read - written);
  return (fresh * input + read * cacheRead + written * cacheWrite + output_tokens * output) / 1_000_000;
}

/** Returns facts with the user's facts about the model. Prices are known only if those of input and output are. */
export function withOverride(facts: ModelFacts, override: ModelOverride | undefined): ModelFacts {
  if (override === undefined) return facts;
  const { price: own, ...rest } = override;
  const { input, output, ...cache } = { ...facts.price, ...own };
  const { price: _price, ...known } = facts;
  const merged: ModelFacts = { ...known, ...rest };
  return input === undefined || output === undefined ? merged : { ...merged, price: { input, output, ...cache } };
}
