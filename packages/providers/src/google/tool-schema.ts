import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

/**
 * Converts the JSON Schema of a tool to the part of the language that Gemini reads (https://ai.google.dev/api/caching#FunctionDeclaration,
 * `parametersJsonSchema`). A keyword with a counterpart is translated, another one is left out: a looser schema still gets a call, a refused one gets
 * no answer at all.
 */
export function toGeminiSchema(schema: PlainObject): PlainObject {
  const definitions = { ...readSchemas(schema['definitions']), ...readSchemas(schema['$defs']) };
  const names = new Set(Object.keys(definitions));
  const converted = convert(schema, names);
  const { $ref: _reference, ...root } = { ...resolveRoot(converted, definitions, names) };
  return {
    ...root,
    type: 'object',
    properties: isPlainObject(root['properties']) ? root['properties'] : {},
    ...(names.size === 0 ? {} : { $defs: mapValues(definitions, (definition) => convert(definition, names)) }),
  };
}

/** The keywords beside a type that are passed on unchanged. */
const passedOn = ['title', 'description', 'format', 'minItems', 'maxItems', 'default'];

function convert(schema: unknown, definitions: ReadonlySet<string>): PlainObject {
  if (!isPlainObject(schema)) return {};
  const reference = readReference(schema['$ref']);
  // A reference may have no other keywords beside it.
  if (reference !== undefined) return definitions.has(reference) ? { $ref: `#/$defs/${reference}` } : {};
  const merged = mergeAll(schema);
  const properties = isPlainObject(merged['properties'])
    ? mapValues(merged['properties'], (property) => convert(property, definitions))
    : undefined;
  const choices = readChoices(merged, definitions);
  return {
    ...pick(merged, passedOn),
    ...convertType(merged['type']),
    ...convertEnum(merged),
    ...convertBounds(merged),
    ...(properties === undefined ? {} : { properties }),
    ...convertRequired(merged['required'], properties),
    ...convertItems(merged, definitions),
    ...convertAdditional(merged['additionalProperties'], definitions),
    ...(choices.length === 0 ? {} : { anyOf: choices }),
  };
}

/** A tool whose parameters are one definition, as generators write them. */
function resolveRoot(root: PlainObject, definitions: PlainObject, names: ReadonlySet<string>): PlainObject {
  const reference = readReference(root['$ref']);
  return reference === undefined ? root : convert(definitions[reference], names);
}

function readReference(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(value)?.[1] ?? '';
}

/** `allOf` has no counterpart: its members are merged. */
function mergeAll(schema: PlainObject): PlainObject {
  const members = Array.isArray(schema['allOf']) ? schema['allOf'].filter(isPlainObject).map(mergeAll) : [];
  return [schema, ...members].reduce((merged, member) => ({
    ...member,
    ...merged,
    ...joinObjects('properties', merged, member),
    ...joinLists('required', merged, member),
  }));
}

function joinObjects(key: string, left: PlainObject, right: PlainObject): PlainObject {
  const [a, b] = [left[key], right[key]];
  return isPlainObject(a) && isPlainObject(b) ? { [key]: { ...b, ...a } } : {};
}

function joinLists(key: string, left: PlainObject, right: PlainObject): PlainObject {
  const [a, b] = [left[key], right[key]];
  return isList(a) && isList(b) ? { [key]: [...new Set([...a, ...b])] } : {};
}

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

function convertType(type: unknown): PlainObject {
  const known = [type].flat().filter((name) => typeof name === 'string' && types.has(name));
  return known.length === 0 ? {} : { type: known.length === 1 ? known[0] : known };
}

/** Only strings and numbers may be listed; a constant is a list of one. */
function convertEnum(schema: PlainObject): PlainObject {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (!Array.isArray(values) || values.length === 0) return {};
  const isListable = values.every((value) => typeof value === 'string') || values.every(Number.isFinite);
  return isListable ? { enum: values } : {};
}

/** Gemini has no exclusive bounds: the bound itself is allowed, or the next whole number. */
function convertBounds(schema: PlainObject): PlainObject {
  const step = schema['type'] === 'integer' ? 1 : 0;
  const lowest = readNumber(schema['minimum']) ?? shift(schema['exclusiveMinimum'], step);
  const highest = readNumber(schema['maximum']) ?? shift(schema['exclusiveMaximum'], -step);
  return {
    ...(lowest === undefined ? {} : { minimum: lowest }),
    ...(highest === undefined ? {} : { maximum: highest }),
  };
}

function shift(bound: unknown, step: number): number | undefined {
  const number = readNumber(bound);
  return number === undefined ? undefined : number + step;
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Keeps only described properties: a required one without a description is refused. */
function convertRequired(required: unknown, properties: PlainObject | undefined): PlainObject {
  if (!Array.isArray(required) || properties === undefined) return {};
  const described = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  return described.length === 0 ? {} : { required: described };
}

function convertItems(schema: PlainObject, definitions: ReadonlySet<string>): PlainObject {
  const tuple = Array.isArray(schema['items']) ? schema['items'] : schema['prefixItems'];
  const items = isPlainObject(schema['items']) ? convert(schema['items'], definitions) : undefined;
  const isList = schema['type'] === 'array';
  return {
    ...(Array.isArray(tuple) ? { prefixItems: tuple.map((item) => convert(item, definitions)) } : {}),
    // A list must name the type of its items.
    ...(items === undefined ? (isList && !Array.isArray(tuple) ? { items: {} } : {}) : { items }),
  };
}

function convertAdditional(additional: unknown, definitions: ReadonlySet<string>): PlainObject {
  if (typeof additional === 'boolean') return { additionalProperties: additional };
  return isPlainObject(additional) ? { additionalProperties: convert(additional, definitions) } : {};
}

function readChoices(schema: PlainObject, definitions: ReadonlySet<string>): PlainObject[] {
  const choices = [schema['anyOf'], schema['oneOf']].filter(isList).flat();
  return choices.map((choice) => convert(choice, definitions));
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function readSchemas(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

function pick(object: PlainObject, keys: readonly string[]): PlainObject {
  return Object.fromEntries(keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])));
}

function mapValues(object: PlainObject, change: (value: unknown) => PlainObject): PlainObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
