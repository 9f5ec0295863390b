import type { z } from 'zod';

/** The deepest nesting of values of providers and tools: less than a log can write, because they are kept inside of other values there. */
const deepest = 900;

/** Restricts a schema to values that a log can also write. */
export function keepable<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine((value) => !isTooDeep(value), { error: `is nested more than ${deepest} levels deep` });
}

/** Returns true if a value is nested too deep to be kept; one that holds itself is. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= deepest; depth += 1) {
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
