import { isPlainObject } from '@loom/blocks';
import type { ToolDescription } from '@loom/kernel';
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ToolNames } from './tool-names.ts';

/** Returns a tool in the SDK's form. Every API wants the schema of an object. */
export function functionTool(
  { name, description, parameters }: ToolDescription,
  names: ToolNames,
): LanguageModelV4FunctionTool {
  const properties = isPlainObject(parameters.properties) ? {} : { properties: {} };
  return {
    type: 'function',
    name: names.toWire(name),
    description,
    inputSchema: { ...parameters, type: 'object', ...properties },
  };
}
