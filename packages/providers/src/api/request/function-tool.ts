import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ToolDescription } from '@loom/kernel';
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ToolNames } from './tool-names.ts';

/** Returns a tool in the SDK's form. Every API wants the schema of an object. */
export function functionTool(
  { name, description, parameters }: ToolDescription,
  names: ToolNames,
): LanguageModelV4FunctionTool {
  return { type: 'function', name: names.toWire(name), description, inputSchema: objectSchema(parameters) };
}

/** Returns the schema of a tool's parameters as that of an object. */
export function objectSchema(parameters: PlainObject): PlainObject & { type: 'object' } {
  const properties = isPlainObject(parameters.properties) ? {} : { properties: {} };
  return { ...parameters, type: 'object', ...properties };
}
