import { isPlainObject } from './plain-object.ts';
import type { PlainObject } from './plain-object.ts';
import type { ValueProblem } from './schema-problem.ts';

/** A copy of a value that JSON can hold, or what in it cannot be held. */
export type JsonCopy = { ok: true; value: unknown } | { ok: false; problems: ValueProblem[] };

/** The deepest nesting of arrays and objects: JSON.stringify can still write it. */
const deepest = 1_000;

/**
 * Copies a value as JSON would give it back, so that later changes by its owner are not seen here. A key whose value is
 * `undefined` is left out; NaN, holes, dates, functions and other values that JSON would silently change are refused.
 * `above` is the number of levels that the value lies in something larger.
 */
export function copyJson(value: unknown, above = 0): JsonCopy {
  try {
    return { ok: true, value: copy(value, [], deepest - above) };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, problems: [error.problem] };
    throw error;
  }
}

class NotJson extends Error {
  readonly problem: ValueProblem;

  constructor(path: readonly PropertyKey[], problem: string) {
    super(problem);
    this.problem = { path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)), problem };
  }
}

function copy(value: unknown, path: PropertyKey[], limit: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(path, `is ${value}, which JSON cannot hold`);
      // JSON has no negative zero.
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
      if (path.length === limit) throw new NotJson(path.slice(0, 3), `is nested more than ${deepest} levels deep`);
      if (Array.isArray(value)) return copyList(value, path, limit);
      if (isPlainObject(value)) return copyObject(value, path, limit);
      throw new NotJson(path, 'is not a plain object');
    default:
      throw new NotJson(path, `is of the type ${typeof value}, which JSON cannot hold`);
  }
}

// Every change of every log passes here, so these two make nothing that they do not need.
function copyList(list: readonly unknown[], path: PropertyKey[], limit: number): unknown[] {
  const copied: unknown[] = [];
  for (let index = 0; index < list.length; index += 1) copied.push(copyAt(list[index], path, index, limit));
  return copied;
}

function copyObject(object: PlainObject, path: PropertyKey[], limit: number): PlainObject {
  const copied: PlainObject = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    const written = typeof value === 'string' ? value : copyAt(value, path, key, limit);
    if (key === '__proto__') Object.defineProperty(copied, key, { ...ordinary, value: written });
    else copied[key] = written;
  }
  return copied;
}

const ordinary = { enumerable: true, configurable: true, writable: true };

function copyAt(value: unknown, path: PropertyKey[], key: PropertyKey, limit: number): unknown {
  path.push(key);
  const copied = copy(value, path, limit);
  path.pop();
  return copied;
}
