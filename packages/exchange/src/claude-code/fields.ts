import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

// What other programs wrote may have any shape: each of these looks at one value and answers `undefined` where it is not what is asked for.

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function objectIn(value: unknown): PlainObject | undefined {
  return isPlainObject(value) ? value : undefined;
}

/** `Array.isArray` for values whose elements are not known, which the built-in guard calls `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function listIn(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

export function textsIn(value: unknown): string[] {
  return listIn(value).filter((element) => typeof element === 'string');
}

/** A time as ISO 8601 has it. */
export function timeIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? value : undefined;
}
