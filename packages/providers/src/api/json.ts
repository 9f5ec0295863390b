import { isPlainObject } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';

/**
 * The arguments of a call as the JSON of an object: exactly as the model spelled them, `{}` where that is no object. Half characters,
 * which JSON can spell and servers refuse, are replaced.
 */
export function argumentsJson({
  parameters,
  arguments: exact,
}: Pick<ToolUseBlock, 'parameters' | 'arguments'>): string {
  const json = exact === undefined ? JSON.stringify(parameters) : isObjectJson(exact) ? exact : '{}';
  return wellFormedJson(json);
}

/** JSON without half characters. */
export function wellFormedJson(json: string): string {
  if (!/\\ud[89a-f]/i.test(json)) return json;
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner));
}

function isObjectJson(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
