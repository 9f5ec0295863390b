import { cleanText } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ToolInvocation, ToolOutcome } from '@loom/kernel';

/** Returns the JSON Schema of an object that has all of these properties and no others. */
export function objectWith(properties: Readonly<Record<string, PlainObject>>): PlainObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** JSON Schema of a text. */
export function textFor(description: string): PlainObject {
  return { type: 'string', description };
}

/** Returns a text among the parameters, or undefined. */
export function textParameter({ parameters }: ToolInvocation, name: string): string | undefined {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  return typeof value === 'string' ? cleanText(value) : undefined;
}

/** Returns the result of a call that cannot be carried out; says how to call. */
export function refuse(text: string): ToolOutcome {
  return { content: [{ type: 'text', text }], is_error: true };
}
