import { z } from 'zod';
import { cleanObject, cleanText, copyJson, isPlainObject, plainObject } from '@loom/blocks';

/**
 * Returns the copy that `copyJson` and then a schema would make of a value, key by key in the order of the schema, or `undefined` where the schema itself has to
 * decide: it may refuse the value, or have rules that are not known here.
 */
export type SchemaCopier<T> = (value: unknown) => T | undefined;

/**
 * Makes a copier for a schema. It goes through a value once, while the schema makes objects even for the keys that a value does not have: most of what an
 * import or the opening of a long log would do otherwise.
 */
export function createSchemaCopier<T>(schema: z.ZodType<T>): SchemaCopier<T> {
  const copy = copierOf(schema);
  return (value) => {
    const copied = copy(value);
    return isMadeBy(schema, copied) ? copied : undefined;
  };
}

/** Stands for a value that the schema has to look at. */
const doubt = Symbol('doubt');

type Copy = (value: unknown) => unknown;

function isMadeBy<T>(_schema: z.ZodType<T>, copied: unknown): copied is T {
  return copied !== doubt;
}

function copierOf(schema: z.core.$ZodType): Copy {
  const known = knownCopies.get(schema);
  if (known !== undefined) return known;
  if (schema instanceof z.ZodObject) return checked(schema, copyObject(schema));
  if (schema instanceof z.ZodArray) return checked(schema, copyList(copierOf(schema.def.element)));
  if (schema instanceof z.ZodTuple) return checked(schema, copyTuple(schema));
  if (schema instanceof z.ZodDiscriminatedUnion) return checked(schema, copyOption(schema));
  if (schema instanceof z.ZodString) return checked(schema, (value) => (typeof value === 'string' ? value : doubt));
  if (schema instanceof z.ZodNumber) return checked(schema, copyNumber(schema));
  if (schema instanceof z.ZodBoolean) return (value) => (typeof value === 'boolean' ? value : doubt);
  if (schema instanceof z.ZodEnum) return copyOneOf(new Set<unknown>(schema.options));
  if (schema instanceof z.ZodLiteral) return copyOneOf(schema.values);
  if (isOptional(schema)) return copierOf(schema.def.innerType);
  if (schema instanceof z.ZodNullable) return copyNullable(copierOf(schema.def.innerType));
  if (schema instanceof z.ZodUnknown) return copyPlain;
  // Of several schemas the first that takes a value decides; the schema finds out if another one does.
  if (schema instanceof z.ZodUnion) return checked(schema, copierOf(schema.def.options[0] ?? schema));
  return copyBy(schema);
}

/** Adds the rules of a schema beside its type, or leaves all to the schema if one of them is not known. */
function checked(schema: z.core.$ZodType, copy: Copy): Copy {
  const rules = (schema._zod.def.checks ?? []).map(ruleOf);
  if (rules.includes(undefined)) return copyBy(schema);
  if (rules.length === 0) return copy;
  return (value) => {
    let copied = copy(value);
    for (const rule of rules) {
      if (copied === doubt) return doubt;
      copied = rule?.(copied);
    }
    return copied;
  };
}

/** Returns the function that applies one rule of a schema to a value. */
function ruleOf(check: z.core.$ZodCheck): Copy | undefined {
  if (check instanceof z.core.$ZodCheckOverwrite) return keepClean(check);
  if (check instanceof z.core.$ZodCheckRegex) {
    const { pattern } = check._zod.def;
    const isStateless = !pattern.global && !pattern.sticky;
    return isStateless ? (value) => (typeof value === 'string' && pattern.test(value) ? value : doubt) : undefined;
  }
  if (check instanceof z.ZodCustom) {
    const { fn } = check.def;
    return (value) => (fn(value) === true ? value : doubt);
  }
  if (check instanceof z.core.$ZodCheckMinLength) {
    const { minimum } = check._zod.def;
    return (value) => ((typeof value === 'string' || Array.isArray(value)) && value.length >= minimum ? value : doubt);
  }
  if (check instanceof z.core.$ZodCheckGreaterThan) {
    const { value: least, inclusive } = check._zod.def;
    return (value) => (Number(value) > Number(least) || (inclusive && value === least) ? value : doubt);
  }
  if (check instanceof z.core.$ZodCheckLessThan) {
    const { value: most, inclusive } = check._zod.def;
    return (value) => (Number(value) < Number(most) || (inclusive && value === most) ? value : doubt);
  }
  if (check instanceof z.core.$ZodCheckNumberFormat && check._zod.def.format === 'safeint')
    return (value) => (Number.isSafeInteger(value) ? value : doubt);
  return undefined;
}

/** Texts are cleaned most often; other overwrites are left to the schema. */
function keepClean(check: z.core.$ZodCheckOverwrite): Copy | undefined {
  const overwrite: unknown = Reflect.get(check._zod.def, 'tx');
  return overwrite === cleanText ? (value) => (typeof value === 'string' ? cleanText(value) : doubt) : undefined;
}

function copyObject(schema: z.ZodObject): Copy {
  const { catchall } = schema.def;
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.def.shape;
  if (!(catchall instanceof z.ZodNever)) return copyBy(schema);
  const keys = Object.keys(shape);
  const fields = keys.map((key) => {
    const field = shape[key] ?? schema;
    return { key, copy: copierOf(field), mayBeAbsent: isOptional(field) };
  });
  const isKnown = new Set(keys);
  return (value) => {
    if (!isPlainObject(value)) return doubt;
    const copied: Record<string, unknown> = {};
    let count = 0;
    for (const { key, copy, mayBeAbsent } of fields) {
      const given = value[key];
      if (given === undefined) {
        if (!mayBeAbsent) return doubt;
        continue;
      }
      const field = copy(given);
      if (field === doubt) return doubt;
      copied[key] = field;
      count += 1;
    }
    const given = Object.keys(value);
    const isWhole = given.length === count || given.every((key) => isKnown.has(key) || value[key] === undefined);
    return isWhole ? copied : doubt;
  };
}

function isOptional(schema: z.core.$ZodType): schema is z.ZodOptional | z.ZodExactOptional {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional;
}

function copyList(copy: Copy): Copy {
  return (value) => {
    if (!Array.isArray(value)) return doubt;
    const copied: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const element = copy(value[index]);
      if (element === doubt) return doubt;
      copied.push(element);
    }
    return copied;
  };
}

function copyTuple(schema: z.ZodTuple): Copy {
  const copies = schema.def.items.map((item) => copierOf(item));
  if (schema.def.rest !== null) return copyBy(schema);
  return (value) => {
    if (!Array.isArray(value) || value.length !== copies.length) return doubt;
    const copied = copies.map((copy, index) => copy(value[index]));
    return copied.includes(doubt) ? doubt : copied;
  };
}

function copyOption(schema: z.ZodDiscriminatedUnion): Copy {
  const { discriminator } = schema.def;
  const copies = new Map<unknown, Copy>();
  for (const option of schema.options) {
    const literal: unknown = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
    if (!(literal instanceof z.ZodLiteral)) return copyBy(schema);
    const copy = copierOf(option);
    for (const value of literal.values) copies.set(value, copy);
  }
  return (value) => (isPlainObject(value) ? (copies.get(value[discriminator])?.(value) ?? doubt) : doubt);
}

function copyNumber(schema: z.ZodNumber): Copy {
  if (schema.format !== null && schema.format !== 'safeint') return copyBy(schema);
  const isWhole = schema.format === 'safeint';
  return (value) => {
    if (!(isWhole ? Number.isSafeInteger(value) : Number.isFinite(value))) return doubt;
    // JSON has no negative zero.
    return value === 0 ? 0 : value;
  };
}

function copyOneOf(values: ReadonlySet<unknown>): Copy {
  return (value) => (typeof value !== 'number' && values.has(value) ? value : doubt);
}

function copyNullable(copy: Copy): Copy {
  return (value) => (value === null ? null : copy(value));
}

/** JSON as it is. Above it are a few levels of the change that it belongs to, which count as its depth. */
function copyPlain(value: unknown): unknown {
  const copied = copyJson(value, levelsAbove);
  return copied.ok ? copied.value : doubt;
}

const levelsAbove = 16;

/** Lets a schema make the copy. */
function copyBy(schema: z.core.$ZodType): Copy {
  return (value) => {
    const copied = copyPlain(value);
    if (copied === doubt) return doubt;
    const parsed = z.core.safeParse(schema, copied);
    return parsed.success ? parsed.data : doubt;
  };
}

/** Schemas that look through whole values again which a copy has just gone through. */
const knownCopies: ReadonlyMap<z.core.$ZodType, Copy> = new Map<z.core.$ZodType, Copy>([
  [plainObject, (value) => (isPlainObject(value) ? copyPlain(value) : doubt)],
  [cleanObject, (value) => (isPlainObject(value) ? copyClean(value) : doubt)],
]);

function copyClean(value: unknown): unknown {
  const copied = copyPlain(value);
  return isClean(copied) ? copied : doubt;
}

/** Returns true if cleaning would change no text of a JSON value. */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return cleanText(value) === value;
  if (typeof value !== 'object' || value === null) return value !== doubt;
  return Array.isArray(value)
    ? value.every(isClean)
    : Object.entries(value).every(([key, part]) => cleanText(key) === key && isClean(part));
}
