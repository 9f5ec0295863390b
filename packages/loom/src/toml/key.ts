import { parse } from 'smol-toml';

/** A place in a document: table keys, and numbers for the elements of arrays. */
export type Path = readonly (string | number)[];

const BARE_KEY = /^[A-Za-z0-9_-]+$/;

/** The parts of a key as written in TOML: `a."b.c"` is `['a', 'b.c']`. Text that is not a key gives `[]`. */
export function decodeKey(source: string): string[] {
  const parts = source.split('.').map((part) => part.trim());
  if (parts.every((part) => BARE_KEY.test(part))) return parts;
  try {
    return keysOf(parse(`${source} = 0`));
  } catch {
    return [];
  }
}

/** Writes a path as a TOML key; numbers are left out, since headers name array elements by position only. */
export function encodeKey(path: Path): string {
  return path
    .filter((part) => typeof part === 'string')
    .map(encodePart)
    .join('.');
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => part === path[index]);
}

export function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && startsWith(left, right);
}

function encodePart(part: string): string {
  return BARE_KEY.test(part) ? part : encodeBasicString(part);
}

/** A one-line TOML string. */
export function encodeBasicString(value: string): string {
  // JSON's escapes are a subset of TOML's, except that TOML also forbids DEL.
  return JSON.stringify(value).replaceAll('\u007F', String.raw`\u007F`);
}

function keysOf(table: unknown): string[] {
  if (typeof table !== 'object' || table === null) return [];
  const [first] = Object.entries(table);
  return first === undefined ? [] : [first[0], ...keysOf(first[1])];
}
