import { isJson } from '@loom/blocks';
import type { Usage } from '@loom/kernel';
import type { LanguageModelV4Usage } from '@ai-sdk/provider';

/** Converts the usage of a call to Loom's form. Cached input is part of the input, reasoning part of the output. */
export function readUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage {
  const more: [keyof Omit<Usage, 'raw' | 'input_tokens' | 'output_tokens'>, number | undefined][] = [
    ['cached_input_tokens', inputTokens.cacheRead],
    ['cache_write_tokens', inputTokens.cacheWrite],
    ['reasoning_tokens', outputTokens.reasoning],
  ];
  return {
    input_tokens: count(inputTokens.total),
    output_tokens: count(outputTokens.total),
    ...Object.fromEntries(more.flatMap(([name, value]) => (value ? [[name, count(value)]] : []))),
    ...(raw !== undefined && isJson(raw) ? { raw } : {}),
  };
}

/** Returns the usage of two requests of one call together; the raw report is that of the last. */
export function addUsage(before: Usage | undefined, { raw, ...more }: Usage): Usage {
  const { raw: _raw, ...sum } = before ?? { input_tokens: 0, output_tokens: 0 };
  for (const name of usageNumbers) {
    const value = (sum[name] ?? 0) + (more[name] ?? 0);
    if (sum[name] !== undefined || more[name] !== undefined) sum[name] = value;
  }
  return raw === undefined ? sum : { ...sum, raw };
}

const usageNumbers = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost_usd',
] as const;

/** Returns true if the provider has reported any usage. */
export function isReported({ inputTokens, outputTokens }: LanguageModelV4Usage): boolean {
  return inputTokens.total !== undefined || outputTokens.total !== undefined;
}

/** Returns a token count. A server may report nonsense, which counts as 0. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
