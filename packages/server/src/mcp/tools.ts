import type { Tool } from '@modelcontextprotocol/server';
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

function describe(operation: Operation, reword: (text: string) => string): Tool {
  const { name, summary, effect, role, result } = operation;
  const answer = hasPatchForm(operation) ? patchAnswerSchema() : result;
  return {
    name: flatName(name),
    description: reword(summary),
    inputSchema: { ...compactSchema(parametersOf(operation), reword), type: 'object' },
    outputSchema: asObject(compactAnswer(jsonSchemaOf(answer), reword)),
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
