import { Buffer } from 'node:buffer';
import { isPlainObject } from '@loom/blocks';

/** What JSON can hold. */
export type JsonValue = null | string | number | boolean | JsonValue[] | JsonObject;

/** A JSON object; a key with the value `undefined` counts as absent, as it does in JSON. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Deeper values are refused at Loom's doors, and an object that contains itself has no bottom. */
const MAX_DEPTH = 100;

export function isJsonValue(value: unknown): value is JsonValue {
  return fitsJson(value, 0);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isPlainObject(value) && fitsJson(value, 0);
}

function fitsJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((entry) => fitsJson(entry, depth + 1));
  if (!isPlainObject(value)) return false;
  return Object.values(value).every((entry) => entry === undefined || fitsJson(entry, depth + 1));
}

/** The value of a JSON text, or `undefined` if the text is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonValue(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The JSON text of any value; bytes become base64, URLs their text. What JSON cannot spell (`undefined`, a function, an
 * object that contains itself) becomes `null`, never an error.
 */
export function stringifyJson(value: unknown): string {
  try {
    // The declared type of JSON.stringify hides that it answers `undefined` for a function or undefined itself.
    const text: string | undefined = JSON.stringify(value, encodeBytes);
    return text ?? 'null';
  } catch {
    return 'null';
  }
}

/** A copy that survives storage: foreign values are kept in this form. */
export function copyAsJson(value: unknown): unknown {
  return JSON.parse(stringifyJson(value));
}

/** A replacer. It looks at the holder, because a Buffer's own toJSON has already run on the value that it is handed. */
function encodeBytes(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value;
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  if (original instanceof ArrayBuffer) return Buffer.from(original).toString('base64');
  return value;
}
