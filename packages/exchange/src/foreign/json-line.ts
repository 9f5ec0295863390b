import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { deepestLine, isDeeperThan } from './depth.ts';

/** The content of a line: usually one object, or several that a lost line break has glued together. */
export type JsonLine =
  | { readonly kind: 'objects'; readonly objects: readonly PlainObject[]; readonly isGlued: boolean }
  /** JSON, but not an object: a number, a text, a list. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'blank' }
  /** JSON that is nested too deep to be read. */
  | { readonly kind: 'deep' }
  /** Not JSON. `isCut`: it begins like an object and ends too early, like the last line of a process that was killed. */
  | { readonly kind: 'broken'; readonly isCut: boolean };

export function readJsonLine(line: string): JsonLine {
  const value = parse(line);
  if (mayBeDeep(line) && isDeeperThan(value, deepestLine)) return { kind: 'deep' };
  if (isPlainObject(value)) return { kind: 'objects', objects: [value], isGlued: false };
  if (value !== undefined) return { kind: 'value', value };
  if (line.trim() === '') return { kind: 'blank' };
  const clean = line.replace(fillers, '');
  if (clean.length < line.length) return readJsonLine(clean);
  const objects = splitGlued(line);
  if (objects !== undefined && mayBeDeep(line) && isDeeperThan(objects, deepestLine + 1)) return { kind: 'deep' };
  if (objects !== undefined) return { kind: 'objects', objects, isGlued: true };
  return { kind: 'broken', isCut: line.trimStart().startsWith('{') };
}

/** The zero bytes that a file system may leave in place of data it had not written when the machine went down. */
const fillers = /^\0+|\0+$/gu;

/** Returns true if a line may be too deep. Every level opens a bracket, and most lines have far fewer: their values need not be walked. */
export function mayBeDeep(line: string): boolean {
  if (line.length <= 2 * deepestLine) return false;
  let left = deepestLine;
  for (const bracket of ['{', '['])
    for (let at = line.indexOf(bracket); at !== -1; at = line.indexOf(bracket, at + 1)) if (--left < 0) return true;
  return false;
}

/** Returns the value of a JSON text, or `undefined`, which JSON cannot spell, if it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the objects of a line that consists only of consecutive objects. */
function splitGlued(line: string): PlainObject[] | undefined {
  const objects: PlainObject[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let at = 0; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (isInString) {
      if (unit === backslash) at += 1;
      else if (unit === quote) isInString = false;
    } else if (unit === quote) isInString = true;
    else if (unit === open) depth += 1;
    else if (unit === close && --depth === 0) {
      const value = parse(line.slice(start, at + 1));
      if (!isPlainObject(value)) return undefined;
      objects.push(value);
      start = at + 1;
    }
  }
  return objects.length > 1 && line.slice(start).trim() === '' ? objects : undefined;
}

const quote = 34;
const backslash = 92;
const open = 123;
const close = 125;
