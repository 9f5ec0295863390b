import type { NodeSeed } from '@loom/kernel/logs';
import type { PlainObject } from '@loom/blocks';

type ModelSource = Extract<NodeSeed['source'], { type: 'model' }>;

/** Returns the usage of one call, in the form kept for live Anthropic calls: `input_tokens` includes tokens read from and written to the cache. */
export function usageOf(raw: PlainObject): NonNullable<ModelSource['usage']> {
  const [read, written] = [count(raw.cache_read_input_tokens), count(raw.cache_creation_input_tokens)];
  const details = raw.output_tokens_details;
  const thinking =
    typeof details === 'object' && details !== null && 'thinking_tokens' in details
      ? count(details.thinking_tokens)
      : 0;
  return {
    input_tokens: count(raw.input_tokens) + read + written,
    output_tokens: count(raw.output_tokens),
    ...(read > 0 ? { cached_input_tokens: read } : {}),
    ...(written > 0 ? { cache_write_tokens: written } : {}),
    ...(thinking > 0 ? { reasoning_tokens: thinking } : {}),
    raw,
  };
}

/** Older versions wrote a report with each line of a message, which grew with it: the greatest is the last. */
export function greaterUsage(one: PlainObject | undefined, other: PlainObject | undefined): PlainObject | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return count(other.output_tokens) >= count(one.output_tokens) ? other : one;
}

export function finishReason(stopReason: unknown): string | undefined {
  return typeof stopReason === 'string' ? (finishReasons.get(stopReason) ?? 'other') : undefined;
}

const finishReasons: ReadonlyMap<string, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
