import { createHash } from 'node:crypto';

/** The point up to which a log has been hashed. */
export interface ChainPoint {
  seq: number;
  hash: string;
}

/** The hash of a log before its first change. */
export function chainStart(log: string): ChainPoint {
  return { seq: 0, hash: sha256(`loom log 1\n${log}`) };
}

/**
 * Returns the hash of a log with one change more. It stands for all changes so far: their contents and order, not how they are written or
 * folded.
 */
export function chainHash(before: string, canonical: string): string {
  return sha256(`${before}\n${canonical}`);
}

/**
 * Writes JSON without a choice: no white space, the keys of every object sorted by UTF-16 code units. Throws a `RangeError` for values
 * nested too deeply: Loom takes in nothing like that, and much more would overflow the stack.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth === deepestNesting) throw new RangeError(`nested deeper than ${deepestNesting} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null, depth + 1)).join(',')}]`;
  const fields: Record<string, unknown> = { ...value };
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key], depth + 1)}`)
    .join(',')}}`;
}

/** Files of older Looms may be nested a thousand levels deep, and changes put some around them. */
export const deepestNesting = 1200;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
