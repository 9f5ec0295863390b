import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';

/** The field in the notes of the path's answers that holds Anthropic's message id. */
const idField = 'anthropic_message_id';

/**
 * Returns the request field that asks why the cache missed: the request is compared with the one whose answer has this id
 * (https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics).
 */
export function diagnosticsField({ trail }: Pick<ProviderRequest, 'trail'>): string {
  const id = trail.map(({ note }) => note?.[idField]).findLast((found) => typeof found === 'string');
  return `"diagnostics":${JSON.stringify({ previous_message_id: id ?? null })}`;
}

/** Returns the note for an answer whose request had that field, given its `message`. */
export function diagnosticsNote({ id, diagnostics }: PlainObject): PlainObject | undefined {
  // Only the answer to a request with the field has it.
  if (diagnostics === undefined || typeof id !== 'string') return undefined;
  const reason = isPlainObject(diagnostics) ? diagnostics.cache_miss_reason : undefined;
  return { [idField]: id, ...(isPlainObject(reason) ? { cache_miss: describe(reason) } : {}) };
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['model_changed', 'another model answered the message before.'],
  ['system_changed', 'the system prompt has changed.'],
  ['tools_changed', 'the tools have changed.'],
  ['messages_changed', 'something earlier in the conversation has changed.'],
  ['previous_message_not_found', 'Anthropic does not know the request before any more.'],
  ['unavailable', 'Anthropic cannot say why; a setting such as the reasoning may have changed.'],
]);

function describe({ type, cache_missed_input_tokens: tokens }: PlainObject): string {
  const why = reasons.get(type) ?? `${String(type)}.`;
  return typeof tokens === 'number' ? `${why} About ${tokens} tokens were read anew.` : why;
}
