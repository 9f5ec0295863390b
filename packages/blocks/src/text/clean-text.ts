import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';

/**
 * Text as every store, wire and CRDT can hold it: each lone surrogate and each NUL becomes U+FFFD.
 * Both arrive as valid JSON escapes, but neither survives UTF-8, PostgreSQL text or a Yjs document.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

/** A value of JSON with each text in it cleaned, keys included. */
function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  return isPlainObject(value) ? cleanFields(value) : value;
}

export function cleanFields(object: PlainObject): PlainObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [cleanText(key), cleanJson(value)]));
}

/** True if nothing but white space is there. Decides whether a text block counts as content; never changes the text. */
export function isBlank(text: string): boolean {
  // \S is the complement of what trim removes, and stops at the first character that is something.
  return !/\S/.test(text);
}
