/** Returns the cost of a call in US dollars at the prices of its time; `undefined` if they are not known. */
export type Pricing = (call: PastCall) => number | undefined;

/** The facts about a call that its price depends on. `input_tokens` counts all input, including tokens read from or written to a cache. */
export interface PastCall {
  provider: string;
  model: string;
  /** Milliseconds since 1970. */
  time: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number;
  /** All cache writes; those that are kept for an hour are a part of them. */
  cache_write_tokens?: number;
  cache_write_1h_tokens?: number;
  web_searches?: number;
}
