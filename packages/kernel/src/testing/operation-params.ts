import { z } from 'zod';
import { idKind } from '../forest/ids.ts';
import type { IdKind } from '../forest/ids.ts';
import type { Random } from './random.ts';

/** The targets of generated parameters: ids of things that exist, and values for some names of parameters. */
export interface Aim {
  id: (kind: IdKind) => string;
  /** Values for parameters of these names, in any operation. */
  named: Readonly<Record<string, () => unknown>>;
  text: () => string;
}

/**
 * Generates parameters that a schema would take. They may still be refused by rules that a schema cannot express, such as
 * the syntax of a pattern.
 */
export function generateParams(random: Random, { shape }: z.ZodObject, aim: Aim): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries<z.ZodType>(shape)) {
    if (isOptional(schema) && random.chance(0.5)) continue;
    given[key] = aim.named[key]?.() ?? generate(random, schema, aim);
  }
  return given;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional;
}

function generate(random: Random, schema: z.core.$ZodType, aim: Aim): unknown {
  const kind = idKind(schema);
  if (kind !== undefined) return aim.id(kind);
  if (schema instanceof z.ZodObject) return generateParams(random, schema, aim);
  if (schema instanceof z.ZodArray)
    return Array.from({ length: 1 + random.below(2) }, () => generate(random, schema.element, aim));
  if (schema instanceof z.ZodTuple) return schema.def.items.map((item) => generate(random, item, aim));
  if (schema instanceof z.ZodRecord) return { a: generate(random, schema.valueType, aim) };
  if (schema instanceof z.ZodUnion) {
    const option = random.pick(schema.options);
    return option === undefined ? undefined : generate(random, option, aim);
  }
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional)
    return generate(random, schema.unwrap(), aim);
  if (schema instanceof z.ZodNullable) return random.chance(0.3) ? null : generate(random, schema.unwrap(), aim);
  if (schema instanceof z.ZodEnum) return random.pick(schema.options);
  if (schema instanceof z.ZodLiteral) return random.pick([...schema.values]);
  if (schema instanceof z.ZodBoolean) return random.chance(0.5);
  if (schema instanceof z.ZodNumber) return Math.max(schema.minValue ?? 0, random.below(3));
  if (schema instanceof z.ZodBase64) return 'AAA=';
  if (schema instanceof z.ZodString) return aim.text();
  return { a: [1, { b: 'c' }] };
}
