import { cleanText, isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';

/** A string as a block can hold it: lone surrogates and NUL become U+FFFD. */
export const cleanString = z.string().overwrite(cleanText);

/**
 * Reads the fields that a schema names from a foreign object; `rest` holds the other fields. `undefined` if the object does not fit. A field with the
 * value `undefined` counts as absent: objects that never left a process have such fields.
 */
export function readFields<S extends z.ZodObject>(
  schema: S,
  value: unknown,
): { fields: z.output<S>; rest: PlainObject } | undefined {
  if (!isPlainObject(value)) return undefined;
  const present = Object.entries(value).filter(([, field]) => field !== undefined);
  const parsed = schema.safeParse(Object.fromEntries(present));
  if (!parsed.success) return undefined;
  const rest = Object.fromEntries(present.filter(([key]) => !Object.hasOwn(schema.shape, key)));
  return { fields: parsed.data, rest };
}

/** The discriminant of a foreign part, or `undefined`. Asked first, because a schema that does not fit costs far more. */
export function typeOf(part: unknown): string | undefined {
  const type = isPlainObject(part) ? part['type'] : undefined;
  return typeof type === 'string' ? type : undefined;
}
