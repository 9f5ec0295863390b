import type { TomlTable, TomlValue } from 'smol-toml';
import type { Path } from './key.ts';
import type { Literal } from './literal.ts';

export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the meaning of a document after a value was set. Tables on the way are made as needed. */
export function withValue(before: TomlValue | undefined, path: Path, value: Literal): TomlValue {
  const [part, ...rest] = path;
  if (part === undefined) return typeof value === 'object' ? [...value] : value;
  if (typeof part === 'number') {
    const items = Array.isArray(before) ? before : [];
    return items.toSpliced(part, 1, withValue(items[part], rest, value));
  }
  const table = isTable(before) ? before : {};
  return { ...table, [part]: withValue(table[part], rest, value) };
}

/** Returns the meaning of a document after a path was taken out. */
export function withoutValue(before: TomlValue, path: Path): TomlValue {
  const [part, ...rest] = path;
  if (typeof part === 'number') {
    if (!Array.isArray(before) || part >= before.length) return before;
    const item = before[part];
    return rest.length === 0 || item === undefined
      ? before.toSpliced(part, 1)
      : before.toSpliced(part, 1, withoutValue(item, rest));
  }
  if (part === undefined || !isTable(before)) return before;
  const child = before[part];
  if (child === undefined) return before;
  const { [part]: _taken, ...others } = before;
  return rest.length === 0 ? others : { ...others, [part]: withoutValue(child, rest) };
}

/**
 * Drops tables and arrays above `path` that are empty. Taking the last value out of a table may leave an empty table or none, depending on
 * how it was written; both are right.
 */
export function withoutEmptyAncestors(value: TomlValue, path: Path): TomlValue {
  let result = value;
  for (let length = path.length - 1; length > 0; length--) {
    const ancestor = path.slice(0, length);
    const found = valueAt(result, ancestor);
    const isElement = typeof ancestor.at(-1) === 'number';
    if (found === undefined || isElement || !isEmptyContainer(found)) continue;
    result = withoutValue(result, ancestor);
  }
  return result;
}

export function valueAt(value: TomlValue | undefined, path: Path): TomlValue | undefined {
  let found = value;
  for (const part of path) {
    if (typeof part === 'number') found = Array.isArray(found) ? found[part] : undefined;
    else found = isTable(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

/** Equality of parsed TOML: key order does not count, dates compare by their spelling, nan equals nan. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (left instanceof Date && right instanceof Date) return left.toISOString() === right.toISOString();
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameValue(item, right[index]));
  }
  if (!isTable(left) || !isTable(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameValue(left[key], right[key]))
  );
}

function isEmptyContainer(value: TomlValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isTable(value) && Object.keys(value).length === 0;
}
