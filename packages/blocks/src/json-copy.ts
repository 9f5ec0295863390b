import { isPlainObject } from './plain-object.ts';
import { formatPath } from './schema-problem.ts';

/** A copy of a value that JSON can hold, or what in it cannot be held. */
export type JsonCopy = { ok: true; value: unknown } | { ok: false; problem: string };

/** How deep arrays and objects may lie in each other: what JSON.stringify can still write. */
const deepest = 1_000;

/**
 * Copies a value as JSON would give it back, so that nothing which its owner does to it later is seen here. A key whose value
 * is `undefined` is left out; NaN, holes, dates, functions and whatever else JSON would silently change are refused.
 */
export function copyJson(value: unknown): JsonCopy {
  try {
    return { ok: true, value: copy(value, []) };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, problem: error.message };
    throw error;
  }
}

class NotJson extends Error {
  constructor(path: readonly PropertyKey[], what: string) {
    super(`${formatPath(path) || 'the value'} ${what}`);
  }
}

function copy(value: unknown, path: PropertyKey[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(path, `is ${value}, which JSON cannot hold`);
      // JSON has no negative zero.
      return value === 0 ? 0 : value;
    case 'object':
      return value === null ? null : copyHolder(value, path);
    default:
      throw new NotJson(path, `is of the type ${typeof value}, which JSON cannot hold`);
  }
}

function copyHolder(holder: object, path: PropertyKey[]): unknown {
  if (path.length === deepest) throw new NotJson(path.slice(0, 3), `is nested more than ${deepest} levels deep`);
  if (Array.isArray(holder)) {
    const elements: readonly unknown[] = holder;
    return Array.from(elements, (element, index) => copyAt(element, path, index));
  }
  if (!isPlainObject(holder)) throw new NotJson(path, 'is not a plain object');
  const copied: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(holder)) {
    if (value === undefined) continue;
    const written = copyAt(value, path, key);
    if (key === '__proto__') Object.defineProperty(copied, key, { ...ordinary, value: written });
    else copied[key] = written;
  }
  return copied;
}

const ordinary = { enumerable: true, configurable: true, writable: true };

function copyAt(value: unknown, path: PropertyKey[], key: PropertyKey): unknown {
  path.push(key);
  const copied = copy(value, path);
  path.pop();
  return copied;
}
