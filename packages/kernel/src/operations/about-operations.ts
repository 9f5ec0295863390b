import { z } from 'zod';
import { refuseUnknown } from './calling/call-operation.ts';
import { defineOperation, jsonSchemaOf, parametersOf, roles } from './operation.ts';
import { refuseCaller } from './permission.ts';

const about = {
  name: z.string(),
  summary: z.string(),
  effect: z.enum(['reads', 'changes', 'runs']),
  role: z.enum(roles).describe('The least role that may call it.'),
};

const listOperations = defineOperation({
  name: 'operation.list',
  summary: 'Lists the operations that the caller may use.',
  params: () => z.strictObject({}),
  result: () => z.strictObject({ items: z.array(z.strictObject(about)) }),
  effect: 'reads',
  run: async (engine, caller) => {
    const items = engine.operations
      .filter((operation) => refuseCaller(operation, caller) === undefined)
      .map(({ name, summary, effect, role }) => ({ name, summary, effect, role }));
    return { ok: true, value: { items } };
  },
});

const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON schema of draft 2020-12.');

const getOperation = defineOperation({
  name: 'operation.get',
  summary: 'Describes the parameters and results of an operation, and the reasons it may be refused.',
  params: () => z.strictObject({ name: z.string().describe('The name of the operation, such as node.append.') }),
  result: () =>
    z.strictObject({
      ...about,
      doors: z.array(z.enum(['library', 'command', 'http', 'mcp', 'model'])).readonly(),
      refusals: z.array(z.string()).readonly(),
      params: jsonSchema,
      result: jsonSchema,
    }),
  refusals: ['unknown-operation'],
  effect: 'reads',
  run: async (engine, caller, { name: wanted }) => {
    const operation = engine.operations.find(({ name }) => name === wanted);
    if (operation === undefined) return refuseUnknown(wanted, engine.operations);
    const denied = refuseCaller(operation, caller);
    if (denied !== undefined) return denied;
    const { name, summary, effect, role, doors, refusals, result } = operation;
    const schemas = { params: parametersOf(operation), result: jsonSchemaOf(result) };
    return { ok: true, value: { name, summary, effect, role, doors, refusals, ...schemas } };
  },
});

export const aboutOperations = [listOperations, getOperation] as const;
