import type { PlainObject } from '@loom/blocks';
import type { NodeSeed } from '@loom/kernel/logs';
import { numberAt } from '../foreign/fields.ts';

export type ModelSource = Extract<NodeSeed['source'], { type: 'model' }>;
export type Usage = NonNullable<ModelSource['usage']>;

/** Reads Codex's token counts of one call. */
export function readUsage(raw: PlainObject): Usage | undefined {
  const [input, output] = [numberAt(raw, 'input_tokens'), numberAt(raw, 'output_tokens')];
  if (input === undefined && output === undefined) return undefined;
  const usage: Usage = { input_tokens: input ?? 0, output_tokens: output ?? 0, raw };
  for (const [name, ours] of details) {
    const count = numberAt(raw, name);
    if (count !== undefined) usage[ours] = count;
  }
  return usage;
}

/** Adds the usage of two calls of which only one message is left. */
export function addUsage(first: Usage | undefined, second: Usage): Usage {
  if (first === undefined) return second;
  const sum: Usage = {
    ...second,
    input_tokens: first.input_tokens + second.input_tokens,
    output_tokens: first.output_tokens + second.output_tokens,
  };
  for (const [, name] of details) {
    if (first[name] !== undefined) sum[name] = first[name] + (second[name] ?? 0);
  }
  return sum;
}

/** Returns the usage since an earlier total of the same thread; all of it if the total was reset. */
export function usageSince(total: PlainObject, before: PlainObject | undefined): PlainObject {
  if (before === undefined) return total;
  const entries = Object.entries(total).map(([name, value]): [string, unknown] => {
    const earlier = before[name];
    return [name, typeof value === 'number' && typeof earlier === 'number' ? value - earlier : value];
  });
  return entries.some(([, value]) => typeof value === 'number' && value < 0) ? total : Object.fromEntries(entries);
}

const details = [
  ['cached_input_tokens', 'cached_input_tokens'],
  ['cache_write_input_tokens', 'cache_write_tokens'],
  ['reasoning_output_tokens', 'reasoning_tokens'],
] as const;
