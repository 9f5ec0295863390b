import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';

/**
 * The owner of fields of an OpenAI-style array that Loom has no word for, as they are kept in a block's provider data: the
 * content part, the tool call, or (in a message's first block) the message.
 */
type DataOwner = 'part' | 'call' | 'message';

/** Their key: not `openai`, because data under that key is sent to that provider. */
export const arrayKey = 'openai-array';

/**
 * Adds the remaining fields of a foreign object to a block's provider data. Fields without a value say nothing and are left
 * out.
 */
export function withOpenAIData<B extends { provider?: PlainObject }>(
  block: B,
  place: DataOwner,
  extra: PlainObject,
): B {
  const kept = Object.fromEntries(Object.entries(extra).filter(([, value]) => !isVoid(value)));
  if (Object.keys(kept).length === 0) return block;
  const present = block.provider?.[arrayKey];
  const data = { ...(isPlainObject(present) ? present : {}), [place]: kept };
  return { ...block, provider: { ...block.provider, [arrayKey]: data } };
}

/** Returns the fields that `withOpenAIData` kept, or none. */
export function openAIData(block: { provider?: PlainObject }, place: DataOwner): PlainObject {
  const data = block.provider?.[arrayKey];
  const kept = isPlainObject(data) ? data[place] : undefined;
  return isPlainObject(kept) ? kept : {};
}

/** `null`, an empty string and an empty array are how generated clients spell "not there". */
export function isVoid(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The block without what `withOpenAIData` kept at a place. */
export function withoutOpenAIData<B extends { provider?: PlainObject }>(block: B, place: DataOwner): B {
  const { [arrayKey]: data, ...others } = block.provider ?? {};
  if (!isPlainObject(data) || !(place in data)) return block;
  const { [place]: _removed, ...kept } = data;
  const provider = Object.keys(kept).length === 0 ? others : { ...others, [arrayKey]: kept };
  const copy: B = { ...block };
  if (Object.keys(provider).length === 0) delete copy.provider;
  else copy.provider = provider;
  return copy;
}

/** The fields that a message of some role reads itself: kept data of the same name cannot stand beside them. */
const ownFields = new Set(
  (
    'role content parts message type tool_calls function_call tool_call_id is_error refusal images ' +
    'thinking_blocks reasoning_content reasoning loom_extra'
  ).split(' '),
);

/** Kept fields as they are written into a message: those that would be taken for the message's own go one level down. */
export function foldExtra(extra: PlainObject): PlainObject {
  const entries = Object.entries(extra);
  const colliding = entries.filter(([key]) => ownFields.has(key));
  if (colliding.length === 0) return extra;
  const free = Object.fromEntries(entries.filter(([key]) => !ownFields.has(key)));
  return { ...free, loom_extra: Object.fromEntries(colliding) };
}

/** The inverse of `foldExtra`. */
export function unfoldExtra(extra: PlainObject): PlainObject {
  const { loom_extra: folded, ...rest } = extra;
  return isPlainObject(folded) ? { ...rest, ...folded } : extra;
}
