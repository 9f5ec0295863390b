import { isPlainObject } from '@loom/blocks';

type Json = Record<string, unknown>;

/** The length from which unions of blocks are shown by what they have in common. */
const longestUnion = 1000;

/** Objects inside of an answer that are longer than this are shown as objects. */
const longestInside = 500;

/**
 * Makes a JSON schema as small as a model can afford to read with every request: each client puts the schemas of all tools before its
 * model. The dozen types of blocks are named instead of written out, and constructs that many clients do not understand (tuples) are put
 * more simply. It allows more than the operation does, never less; wrong values are refused with words. `reword` is given every
 * description.
 */
export function compactSchema(schema: Json, reword: (text: string) => string): Json {
  const { $schema: _dialect, ...rest } = schema;
  return compactObject(rest, reword);
}

/** Compacts the schema of an answer, of which a model sees the value itself. */
export function compactAnswer(schema: Json, reword: (text: string) => string): Json {
  return summarize(compactSchema(schema, reword));
}

function compact(value: unknown, reword: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((inner) => compact(inner, reword));
  return isPlainObject(value) ? compactObject(value, reword) : value;
}

function compactObject(value: Json, reword: (text: string) => string): Json {
  const types = typesOfUnion(value);
  if (types !== undefined) {
    const description = 'A content block: {"type": "text", "text": "…"}, or one of another type with its own fields.';
    return { type: 'object', description, properties: { type: { enum: types } }, required: ['type'] };
  }
  return Object.fromEntries(
    Object.entries(withoutTuple(value))
      .filter(([key, inner]) => !isNoise(key, inner, value))
      .map(([key, inner]) => [
        key,
        key === 'description' && typeof inner === 'string' ? reword(inner) : compact(inner, reword),
      ]),
  );
}

/** Bounds that every integer has, and the pattern of a format, which only repeats its name. */
function isNoise(key: string, inner: unknown, { format }: Json): boolean {
  if (key === 'pattern') return format !== undefined;
  return inner === Number.MAX_SAFE_INTEGER || inner === Number.MIN_SAFE_INTEGER;
}

/** Turns a tuple into a list of the values that its places may hold. */
function withoutTuple({ prefixItems, ...value }: Json): Json {
  if (!Array.isArray(prefixItems)) return value;
  const places: readonly unknown[] = 'items' in value ? prefixItems.concat([value['items']]) : prefixItems;
  const distinct = [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
  return { ...value, items: distinct.length === 1 ? distinct[0] : { anyOf: distinct } };
}

/** Leaves out the inside of long objects that are fields of others, that counts begin at 0, and that there are no other fields. */
function summarize(schema: Json): Json {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, inner]) => !(key === 'minimum' && inner === 0) && !(key === 'additionalProperties' && inner === false),
      )
      .map(([key, inner]) => [key, key === 'properties' ? summarizeFields(inner) : summarizeAny(inner)]),
  );
}

function summarizeAny(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(summarizeAny);
  return isPlainObject(value) ? summarize(value) : value;
}

function summarizeFields(fields: unknown): unknown {
  if (!isPlainObject(fields)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (!isPlainObject(field)) return [name, field];
      const { type, description } = field;
      const isLong = type === 'object' && JSON.stringify(field).length > longestInside;
      if (!isLong) return [name, summarize(field)];
      return [name, { type, ...(description === undefined ? {} : { description }) }];
    }),
  );
}

/** The types of blocks that a long union chooses among, if it is one. */
function typesOfUnion({ oneOf, anyOf }: Json): unknown[] | undefined {
  const options = oneOf ?? anyOf;
  if (!Array.isArray(options) || JSON.stringify(options).length <= longestUnion) return undefined;
  const types = options.map(typeOf);
  return types.includes(undefined) ? undefined : types;
}

function typeOf(option: unknown): unknown {
  if (!isPlainObject(option) || !isPlainObject(option['properties'])) return undefined;
  const { type } = option['properties'];
  return isPlainObject(type) ? type['const'] : undefined;
}
