import { isJson, isPlainObject } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';

/**
 * Returns the arguments of a call as the JSON of an object: exactly as the model spelled them, `{}` if that is not an object. Half characters, which
 * JSON can spell and servers refuse, are replaced.
 */
export function argumentsJson({
  parameters,
  arguments: exact,
}: Pick<ToolUseBlock, 'parameters' | 'arguments'>): string {
  const json = exact === undefined ? JSON.stringify(parameters) : isObjectJson(exact) ? exact : '{}';
  return wellFormedJson(json);
}

/** Returns JSON without half characters, and otherwise unchanged. */
export function wellFormedJson(json: string): string {
  if (!/\\ud[89a-f]/i.test(json)) return json;
  return json.replaceAll(escapes, (escape) => (/^\\ud[89a-f]..$/i.test(escape) ? '\\ufffd' : escape));
}

/** Surrogate pairs, single surrogates, and every other escape: an escaped backslash begins none. */
const escapes = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}|\\./gi;

/** The deepest nesting of a wire value that a block may hold: less than a log can write. */
const deepest = 800;

/** Returns true if a block can hold a value unchanged. */
export function isKeepable(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return level.length === 0 && isJson(value);
}

function isObjectJson(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
