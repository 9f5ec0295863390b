import type { Tool } from '@modelcontextprotocol/server';
import { isPlainObject } from '@loom/blocks';
import { flatName, jsonSchemaOf, parametersOf, patchAnswerSchema } from '@loom/kernel';
import type { Operation } from '@loom/kernel';
import { compactAnswer, compactSchema } from './compact-schema.ts';

/** An operation as MCP clients see it. */
export interface OfferedTool {
  operation: Operation;
  tool: Tool;
}

/** Returns every operation that is offered at this door, by the name that it has here. */
export function offeredTools(operations: readonly Operation[]): ReadonlyMap<string, OfferedTool> {
  const offered = operations.filter(({ doors }) => doors.includes('mcp'));
  const reword = namesAsTools(offered);
  return new Map(
    offered.map((operation) => [flatName(operation.name), { operation, tool: describe(operation, reword) }]),
  );
}

/**
 * Fields that lists for people use, or that Loom sets, and that models are not shown, because every schema is read with every request. A dot leads
 * into a field. The operations still take them.
 */
const untold: Readonly<Record<string, readonly string[]>> = {
  'root.list': ['counts', 'ids', 'order', 'pinned', 'model', 'source', 'since', 'until', 'state', 'archived'],
  'root.create': ['agent_prompt', 'instructions', 'origin', 'provider_tools', 'question', 'sender'].map(
    (name) => `config.${name}`,
  ),
  'kernel.search': ['roles', 'project', 'source', 'model', 'max_blocks_per_root', 'line_numbers'],
};

/** Returns a schema of an object without some of its properties, and of those of its fields. */
function without(schema: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const { properties } = schema;
  if (!isPlainObject(properties) || names.length === 0) return schema;
  const kept = Object.entries(properties).filter(([name]) => !names.includes(name));
  const below = (field: string): string[] =>
    names.filter((name) => name.startsWith(`${field}.`)).map((name) => name.slice(field.length + 1));
  const trimmed = kept.map(([name, value]) => [name, isPlainObject(value) ? without(value, below(name)) : value]);
  return { ...schema, properties: Object.fromEntries(trimmed) };
}

function describe(operation: Operation, reword: (text: string) => string): Tool {
  const { name, summary, effect, role, result } = operation;
  const left = untold[name] ?? [];
  const answer = hasPatchForm(operation) ? patchAnswerSchema() : result;
  return {
    name: flatName(name),
    description: reword(summary),
    inputSchema: { ...without(compactSchema(parametersOf(operation), reword), left), type: 'object' },
    outputSchema: asObject(without(compactAnswer(jsonSchemaOf(answer), reword), left)),
    annotations: {
      readOnlyHint: effect === 'reads',
      // An appender changes nothing that is there.
      destructiveHint: effect !== 'reads' && role !== 'appender',
      idempotentHint: effect === 'reads',
      openWorldHint: false,
    },
  };
}

/** Returns true if the answer has the form that models know from other programs: success or errors, instead of a refusal. */
export function hasPatchForm({ name }: Operation): boolean {
  return name === 'block.apply_patch';
}

/** Clients take structured content that is an object: what else an operation answers is the `items` of one. */
function asObject(schema: Record<string, unknown>): Tool['outputSchema'] {
  if (schema['type'] === 'object') return { ...schema, type: 'object' };
  return { type: 'object', properties: { items: schema }, required: ['items'], additionalProperties: false };
}

/** Descriptions name operations; here they have the names of tools. */
function namesAsTools(offered: readonly Operation[]): (text: string) => string {
  const names = offered.map(({ name }) => name.replaceAll('.', '\\.'));
  const pattern = new RegExp(`\\b(?:${names.join('|')})\\b`, 'gu');
  return (text) => text.replaceAll(pattern, flatName);
}
