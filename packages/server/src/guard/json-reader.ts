import { fail } from '../answers/problems.ts';
import { unitAt } from '@loom/blocks';

/** The deepest nesting of JSON. */
export const deepest = 100;

/** The most values it may hold: each may be wrong, and validation reports each one. */
export const mostValues = 50_000;

/** Reads JSON that came from outside: valid UTF-8, not nested too deep, not of too many values, and without a key that could change a prototype. */
export function readJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const excess = findExcess(text);
  if (excess !== undefined) fail('not-json', excess);
  const value = parse(text);
  // Escapes can spell the key too; texts that only mention it are looked at and pass.
  if (/__proto__|\\u005f/iu.test(text) && holdsPrototypeKey(value)) fail('not-json', 'it has a key __proto__');
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('not-json', 'it is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail('not-json', error instanceof Error ? error.message : String(error));
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Looks at the text, since walking a value that is too deep runs out of stack, and reading one that is too wide out of time. */
function findExcess(text: string): string | undefined {
  let depth = 0;
  let values = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = unitAt(text, index);
    if (isString) {
      if (code === backslash) index += 1;
      else if (code === quote) isString = false;
    } else if (code === quote) {
      isString = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > deepest) return `it is nested more than ${deepest} deep`;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (code === comma) {
      values += 1;
    }
    if (values > mostValues) return `it has more than ${mostValues} values; send it in parts`;
  }
  return undefined;
}

function holdsPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsPrototypeKey);
}
