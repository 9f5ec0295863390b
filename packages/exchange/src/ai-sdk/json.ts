import { Buffer } from 'node:buffer';
import { isJson, isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

/** Any JSON value. */
export type JsonValue = null | string | number | boolean | JsonValue[] | JsonObject;

/** A JSON object; a key with the value `undefined` counts as absent, as it does in JSON. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Deeper values are refused at Loom's doors, and the SDK's own schemas would overflow the stack on them. */
const MAX_DEPTH = 100;

export function isJsonValue(value: unknown): value is JsonValue {
  return isJson(value) && nestsAtMost(MAX_DEPTH, value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isPlainObject(value) && isJsonValue(value);
}

function nestsAtMost(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((entry) => nestsAtMost(levels - 1, entry));
}

/** Returns the value of a JSON text, or `undefined` if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonValue(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the JSON text of any value; bytes become base64, URLs and big integers their text. A value that JSON cannot spell (`undefined`, a function,
 * an object that contains itself) becomes `null`, never an error.
 */
export function stringifyJson(value: unknown): string {
  try {
    // The declared type of JSON.stringify hides that it returns `undefined` for a function or undefined itself.
    const text: string | undefined = JSON.stringify(value, encodeForeign);
    return text ?? 'null';
  } catch {
    return 'null';
  }
}

/** Returns a copy that survives storage: foreign values are kept in this form. */
export function copyAsJson(value: unknown): unknown {
  return JSON.parse(stringifyJson(value));
}

/** Returns foreign fields in a form that a block can keep: unchanged if JSON can hold them, else the copy that JSON makes of them. */
export function keepFields(fields: PlainObject): PlainObject {
  if (isJson(fields)) return fields;
  const copy = copyAsJson(fields);
  return isPlainObject(copy) ? copy : {};
}

/** A replacer. It looks at the holder, because a Buffer's own toJSON has already run on the value that it is handed. */
function encodeForeign(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  const original: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value;
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  if (original instanceof ArrayBuffer) return Buffer.from(original).toString('base64');
  return value;
}
