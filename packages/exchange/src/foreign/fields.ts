import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

// Readers of fields that other programs wrote. The value may be anything, and an unexpected one reads as `undefined`: so no reader can throw.

/** The first of the named fields that is a text. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (typeof field === 'string') return field;
  }
  return undefined;
}

/** The first of the named fields that is an object. */
export function objectAt(value: unknown, ...keys: readonly string[]): PlainObject | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (isPlainObject(field)) return field;
  }
  return undefined;
}

/** The first of the named fields that is a list; an empty one if none is. */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  if (!isPlainObject(value)) return [];
  for (const key of keys) {
    const field = value[key];
    if (isList(field)) return field;
  }
  return [];
}

/** The first of the named fields that is a finite number. */
export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key of keys) {
    const field = value[key];
    if (typeof field === 'number' && Number.isFinite(field)) return field;
  }
  return undefined;
}

/** A text that is not empty. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function objectIn(value: unknown): PlainObject | undefined {
  return isPlainObject(value) ? value : undefined;
}

export function listIn(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

export function textsIn(value: unknown): string[] {
  return listIn(value).filter((element) => typeof element === 'string');
}

/** `Array.isArray` for values whose elements are not known. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The object without the fields that are `undefined` or `null`; `undefined` if nothing is left. Its keys are written in the source. */
export function knownFields(fields: PlainObject): PlainObject | undefined {
  const known: PlainObject = {};
  let isEmpty = true;
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value === undefined || value === null) continue;
    known[key] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : known;
}

/** Returns a time as ISO 8601, from such a text or from seconds or milliseconds since 1970; `undefined` if it is not a time. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return isoTime.test(value) ? value : undefined;
  if (typeof value !== 'number' || !(value > 0)) return undefined;
  const date = new Date(value < 1e11 ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const isoTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d/;
