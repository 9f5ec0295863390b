import { isPlainObject } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';

/**
 * Returns a model's arguments to a tool in the form that a block keeps: the parameters, and the exact text if they would not give it back. Cheaper
 * than validating them at an entry point: a value parsed from JSON can only be JSON.
 */
export function readArguments(given: unknown): Pick<ToolUseBlock, 'parameters' | 'arguments'> {
  if (isPlainObject(given)) return { parameters: given };
  if (typeof given !== 'string') {
    return given === undefined || given === null
      ? { parameters: {} }
      : { parameters: {}, arguments: JSON.stringify(given) };
  }
  const parameters = parseObject(given);
  if (parameters === undefined) return { parameters: {}, arguments: given };
  return JSON.stringify(parameters) === given ? { parameters } : { parameters, arguments: given };
}

function parseObject(text: string): ToolUseBlock['parameters'] | undefined {
  if (!text.includes('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
