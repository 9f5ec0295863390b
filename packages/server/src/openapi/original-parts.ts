/** The building blocks for the descriptions of the original's routes. */

export type Json = Record<string, unknown>;

export const failed = {
  description: 'What happened and what to do.',
  content: json({
    anyOf: [
      { type: 'object', properties: { error: { type: 'string' }, refusal: { type: 'object' } }, required: ['error'] },
      { $ref: '#/components/schemas/Problem' },
    ],
  }),
};

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

export function listOf(items: Json): Json {
  return { type: 'array', items };
}

export function about(operationId: string, summary: string, parameters: readonly Json[]): Json {
  return { operationId, summary, tags: ['original'], parameters };
}

export function answers(status: number, description: string, schema: Json): Json {
  return { [status]: { description, content: json(schema) }, default: failed };
}

export function body(properties: Json, required: readonly string[]): Json {
  return { required: true, content: json({ type: 'object', properties, required }) };
}
