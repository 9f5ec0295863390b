import type { Usage } from '../node-metadata.ts';
import type { NodeState } from '../state/node-state.ts';
import type { PrefixHead } from './prefix.ts';

/**
 * Returns the tokens that the last answer of the same model on a path read and said: the next call reads at least as many.
 * Skips answers with a block among `invalid`, because they began with something else than the next call does.
 */
export function heardTokens(path: readonly NodeState[], head: PrefixHead, invalid: readonly string[] = []): number {
  const usage = lastUsage(path, head, invalid);
  return (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
}

/**
 * Returns the tokens that are in a cache in vain because the next call begins differently: something was edited, left out or
 * moved. None if the last answer used no cache: then all input is paid in any case.
 */
export function lostTokens(path: readonly NodeState[], head: PrefixHead, invalid: readonly string[]): number {
  const { cached_input_tokens: read = 0, cache_write_tokens: written = 0 } = lastUsage(path, head, []) ?? {};
  return read + written === 0 ? 0 : heardTokens(path, head) - heardTokens(path, head, invalid);
}

/**
 * Returns the number of tokens of the next call that may come from a cache: those of the last answer, if its provider has
 * reported any use of a cache.
 */
export function cachedTokens(path: readonly NodeState[], head: PrefixHead, invalid: readonly string[]): number {
  const { cached_input_tokens: read = 0, cache_write_tokens: written = 0 } = lastUsage(path, head, invalid) ?? {};
  return read + written === 0 ? 0 : heardTokens(path, head, invalid);
}

function lastUsage(
  path: readonly NodeState[],
  { provider, model }: PrefixHead,
  invalid: readonly string[],
): Usage | undefined {
  const start = path.findLastIndex(({ context_start: isStart }) => isStart === true);
  // A summary has read messages that are no longer shown.
  const nodes = path.slice(start + 1).filter(({ parent }) => parent !== path[start]?.id);
  const others = new Set(invalid);
  const last = nodes.findLast(
    ({ source, blocks }) =>
      source.type === 'model' && source.usage !== undefined && !blocks.some(({ block_id: id }) => others.has(id ?? '')),
  )?.source;
  return last?.type === 'model' && last.provider === provider && last.model_name === model ? last.usage : undefined;
}
