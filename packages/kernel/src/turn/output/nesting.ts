import type { z } from 'zod';

/** How deep values of providers and tools may be nested: less than a log can write, because they are kept inside of other values there. */
const deepest = 900;

/** What a schema takes, if a log can also write it. */
export function keepable<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine((value) => !isTooDeep(value), { error: `is nested more than ${deepest} levels deep` });
}

/** Whether a value is nested too deep to be kept; one that holds itself is. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= deepest; depth += 1) {
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
