import { cleanText } from '../text/clean-text.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';

// Readers for payloads that other programs wrote. Each looks at a fixed key of a value that may be anything, and returns
// `undefined` when the expected value is not there: so no view can throw on a foreign shape, nor loop on a cyclic one.

/** The first of the named fields that is there and is not null. */
export function fieldIn(value: unknown, ...keys: readonly string[]): unknown {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (field !== undefined && field !== null) return field;
  }
  return undefined;
}

/** The first of the named fields that is a string, as every store can hold it. */
export function textIn(value: unknown, ...keys: readonly string[]): string | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (typeof field === 'string') return cleanText(field);
  }
  return undefined;
}

/** The first of the named fields that is a plain object. */
export function objectIn(value: unknown, ...keys: readonly string[]): PlainObject | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (isPlainObject(field)) return field;
  }
  return undefined;
}

/** The first of the named fields that is an array. */
export function listIn(value: unknown, ...keys: readonly string[]): readonly unknown[] | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (isList(field)) return field;
  }
  return undefined;
}

/** `Array.isArray` for values whose elements are not known, which the built-in guard calls `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The first of the named fields that is a whole number which a double holds exactly. */
export function integerIn(value: unknown, ...keys: readonly string[]): number | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (typeof field === 'number' && Number.isSafeInteger(field)) return field;
  }
  return undefined;
}

/** The first of the named fields that is a finite number, zero or more: a size or a duration. */
export function quantityIn(value: unknown, ...keys: readonly string[]): number | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (typeof field === 'number' && Number.isFinite(field) && field >= 0) return field;
  }
  return undefined;
}

/** True if one of the named fields is `true`. */
export function isSetIn(value: unknown, ...keys: readonly string[]): boolean {
  return isPlainObject(value) && keys.some((key) => value[key] === true);
}

/** A list in which every element is a string, cleaned; `undefined` if it is not such a list or is empty. */
export function textsOf(value: unknown): string[] | undefined {
  if (!isList(value) || value.length === 0) return undefined;
  const texts: string[] = [];
  for (const element of value) {
    if (typeof element !== 'string') return undefined;
    texts.push(cleanText(element));
  }
  return texts;
}

/** A JSON text as a value, or `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The object without the fields that are undefined, or `undefined` if nothing is left. */
export function definedFields(fields: PlainObject): PlainObject | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
