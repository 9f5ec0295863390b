import { isPlainObject } from '@loom/blocks';

type Json = Record<string, unknown>;

/** The shortest schema worth sharing, in characters: a shorter one is easier to read in place. */
const leastLength = 200;

/**
 * Returns the same schemas, with repeated parts written once and named: blocks and messages are in most of them. Names are those of the
 * vocabulary where a schema shows its type.
 */
export function shareSchemas(schemas: Readonly<Json>): Json {
  const counts = new Map<string, number>();
  for (const schema of Object.values(schemas)) count(schema, counts);
  const names = new Map<string, string>();
  const shared: Json = {};
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (!isPlainObject(value)) return value;
    const text = JSON.stringify(value);
    if ((counts.get(text) ?? 0) < 2) return inside(value);
    const known = names.get(text);
    const name = known ?? freeName(nameOf(value), { ...schemas, ...shared });
    if (known === undefined) {
      names.set(text, name);
      // Its place is taken before the schemas inside of it look for one.
      shared[name] = {};
      shared[name] = inside(value);
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const inside = (value: Json): Json =>
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)]));
  const own = Object.entries(schemas).map(([name, schema]): [string, unknown] => [
    name,
    isPlainObject(schema) ? inside(schema) : schema,
  ]);
  return { ...Object.fromEntries(own), ...shared };
}

function count(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) return value.forEach((inner) => count(inner, counts));
  if (!isPlainObject(value)) return;
  for (const inner of Object.values(value)) count(inner, counts);
  if (!isSchema(value)) return;
  const text = JSON.stringify(value);
  if (text.length >= leastLength) counts.set(text, (counts.get(text) ?? 0) + 1);
}

/** Tells a schema from the table of an object's properties. */
function isSchema(value: Json): boolean {
  return typeof value['type'] === 'string' || Array.isArray(value['anyOf']) || Array.isArray(value['oneOf']);
}

function nameOf(schema: Json): string {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const [type, role] = [constantOf(properties['type']), constantOf(properties['role'])];
  if (type !== undefined && 'block_id' in properties) return `${pascal(type)}Block`;
  if (role !== undefined && 'content' in properties) return `${pascal(role)}Message`;
  if (Array.isArray(schema['anyOf']) || Array.isArray(schema['oneOf'])) return 'OneOf';
  return schema['type'] === 'array' ? 'List' : 'Part';
}

function constantOf(schema: unknown): string | undefined {
  const value = isPlainObject(schema) ? schema['const'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|-)(\w)/gu, (_, letter: string) => letter.toUpperCase());
}

function freeName(wanted: string, taken: Readonly<Json>): string {
  let name = wanted;
  for (let number = 2; name in taken; number += 1) name = `${wanted}${number}`;
  return name;
}
