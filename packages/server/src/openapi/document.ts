import { refusalSchema } from '@loom/kernel';
import type { Operation, RefusalReason } from '@loom/kernel';
import { z } from 'zod';
import { statusOfRefusal } from '../answers/refusal-status.ts';
import { originalPaths } from './original-paths.ts';
import { otherPaths } from './other-paths.ts';
import { shareSchemas } from './shared-schemas.ts';

type Json = Record<string, unknown>;

/** Describes this server as an OpenAPI 3.1 document made of the table of operations. */
export function openApiDocument(operations: readonly Operation[]): Json {
  const offered = operations.filter(({ doors }) => doors.includes('http'));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loom',
      version: '1',
      description:
        'All operations of Loom. Changes within version 1 are additive: clients should ignore fields, reasons and events that they do not know.',
    },
    security: [{ token: [] }],
    paths: {
      ...Object.fromEntries(offered.map((operation) => [`/api/v1/${operation.name}`, { post: pathOf(operation) }])),
      ...otherPaths,
      ...originalPaths,
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: shareSchemas({
        ...schemasOf(offered, 'params'),
        ...schemasOf(offered, 'result'),
        Refusal: jsonSchema(refusalSchema(), 'output'),
        Refused: refused,
        Problem: problemSchema,
        Cursor: jsonSchema(z.strictObject({ epoch: z.string(), seq: z.int() }), 'output'),
      }),
    },
  };
}

function pathOf({ name, summary, role, effect, refusals }: Operation): Json {
  const { params, result } = componentNames(name);
  return {
    operationId: name,
    summary,
    tags: [name.split('.')[0]],
    'x-role': role,
    'x-effect': effect,
    parameters: [idempotencyKey],
    requestBody: { required: true, content: json({ $ref: `#/components/schemas/${params}` }) },
    responses: {
      200: {
        description: 'The operation was done.',
        content: json({
          type: 'object',
          properties: {
            ok: { const: true },
            value: { $ref: `#/components/schemas/${result}` },
            cursor: { $ref: '#/components/schemas/Cursor' },
          },
          required: ['ok', 'value'],
          additionalProperties: false,
        }),
      },
      ...refusalResponses(refusals),
      default: {
        description: 'The server rejected the request, or failed.',
        content: json({ $ref: '#/components/schemas/Problem' }),
      },
    },
  };
}

/** One response for each status, with the reasons that have it. */
function refusalResponses(refusals: readonly RefusalReason[]): Json {
  const byStatus = Map.groupBy(refusals, (reason) => statusOfRefusal[reason]);
  const sorted = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    sorted.map(([status, reasons]) => [
      status,
      {
        description: `Refused: ${reasons.join(', ')}.`,
        // The body may also be one that the door itself refuses.
        content: json({ anyOf: [{ $ref: '#/components/schemas/Refused' }, { $ref: '#/components/schemas/Problem' }] }),
      },
    ]),
  );
}

function schemasOf(operations: readonly Operation[], which: 'params' | 'result'): Json {
  const io = which === 'params' ? 'input' : 'output';
  return Object.fromEntries(
    operations.map((operation) => [componentNames(operation.name)[which], jsonSchema(operation[which], io)]),
  );
}

/** `node.append` has the components `NodeAppendParams` and `NodeAppendResult`. */
function componentNames(name: string): { params: string; result: string } {
  const words = name.split(/[._]/u).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return { params: `${words.join('')}Params`, result: `${words.join('')}Result` };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  // For a parameter that takes any JSON object its own check says more than a schema can; the schema has its type.
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Identifies the request: requests repeated with the same key are done once and answered every time. With other parameters the key is refused.',
  schema: { type: 'string', pattern: '^[!-~]{1,200}$' },
};

const refused = {
  type: 'object',
  properties: {
    ok: { const: false },
    refusal: { $ref: '#/components/schemas/Refusal' },
    message: { type: 'string', description: 'What happened, and what to do.' },
  },
  required: ['ok', 'refusal', 'message'],
  additionalProperties: false,
};

const problemSchema = {
  type: 'object',
  properties: {
    ok: { const: false },
    problem: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
    message: { type: 'string', description: 'What happened, and what to do.' },
  },
  required: ['ok', 'problem', 'message'],
  additionalProperties: false,
};
