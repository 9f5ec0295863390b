import { isPlainObject } from '@loom/blocks';
import type { NodeState, Usage } from '@loom/kernel';
import { count } from '../../terminal/progress.ts';

/** Words the usage of calls in tokens; nothing if that is not known. */
export function describeTokens(usages: readonly Usage[]): string | undefined {
  const sum = (part: (usage: Usage) => number | undefined): number =>
    usages.reduce((total, usage) => total + (part(usage) ?? 0), 0);
  const [input, output] = [sum((usage) => usage.input_tokens), sum((usage) => usage.output_tokens)];
  if (input + output === 0) return undefined;
  const [read, written] = [sum((usage) => usage.cached_input_tokens), sum((usage) => usage.cache_write_tokens)];
  const cache = [...(read > 0 ? [`${read} from the cache`] : []), ...(written > 0 ? [`${written} kept in it`] : [])];
  const about = usages.some(({ estimated }) => estimated === true) ? 'about ' : '';
  return `${about}${input} tokens in${cache.length === 0 ? '' : ` (${cache.join(', ')})`}, ${output} out`;
}

/**
 * Returns the provider's notes on an answer that a person may want to know: the blocks that the model did not see, and the reason nothing
 * came from the cache.
 */
export function remarksOnAnswer({ note = {} }: Pick<NodeState, 'note'>): string[] {
  const { left_out: leftOut, cache_miss: miss } = note;
  const reasons = new Map<string, number>();
  for (const entry of Array.isArray(leftOut) ? leftOut : []) {
    if (!isPlainObject(entry)) continue;
    const { what, why, count: times = 1 } = entry;
    const reason = `${nouns.get(String(what)) ?? 'part'}|${typeof why === 'string' ? why : ''}`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + (typeof times === 'number' ? times : 1));
  }
  const lines = [...reasons].map(([reason, times]) => {
    const [noun = '', why = ''] = reason.split('|');
    if (noun === 'setting') return why;
    return `The model was not shown ${count(times, noun)}. ${why}`.trimEnd();
  });
  return typeof miss === 'string' ? [...lines, `Nothing came from the cache: ${miss}`] : lines;
}

const nouns: ReadonlyMap<string, string> = new Map([
  ['thinking', 'thought'],
  ['signature', 'signature'],
  ['file', 'file'],
  ['tool', 'tool'],
  ['setting', 'setting'],
]);
