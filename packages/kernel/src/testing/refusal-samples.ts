import { z } from 'zod';
import { refusalSchema } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';

/** Returns every possible kind of refusal: each reason with every value of its enums, with and without optional fields. */
export function refusalSamples(): Refusal[] {
  return refusalSchema()
    .options.flatMap((option) => samplesOf(option))
    .map((sample) => refusalSchema().parse(sample));
}

function samplesOf(schema: z.core.$ZodType): unknown[] {
  if (schema instanceof z.ZodLiteral) return [...schema.values];
  if (schema instanceof z.ZodEnum) return schema.options;
  if (schema instanceof z.ZodString) return ['root-1/node-3'];
  if (schema instanceof z.ZodNumber) return [0, 1, 5];
  if (schema instanceof z.ZodArray) return arraysOf(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(samplesOf);
  if (schema instanceof z.ZodObject) return objectsOf(schema.shape);
  throw new TypeError('refusals have a field of a type that has no samples yet');
}

function arraysOf(element: z.core.$ZodType): unknown[] {
  const [first, second = first] = samplesOf(element);
  return [[first], [first, second]];
}

function objectsOf(shape: Readonly<Record<string, z.core.$ZodType>>): Record<string, unknown>[] {
  let objects: Record<string, unknown>[] = [{}];
  for (const [key, schema] of Object.entries(shape)) {
    // The next step follows from the rest.
    if (key === 'next') continue;
    const isOptional = schema instanceof z.ZodExactOptional;
    const values = samplesOf(isOptional ? schema.unwrap() : schema);
    const withKey = objects.flatMap((object) => values.map((value) => ({ ...object, [key]: value })));
    objects = isOptional ? [...objects, ...withKey] : withKey;
  }
  return objects;
}
