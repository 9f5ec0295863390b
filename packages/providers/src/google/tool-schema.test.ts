import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import * as fc from 'fast-check';
import { requestProblem } from '../testing/emulators/google-rules.ts';
import { toGeminiSchema } from './tool-schema.ts';

/** Returns the API's complaint about a tool with this schema. */
function problemOf(parametersJsonSchema: unknown): string | undefined {
  const tools = [{ functionDeclarations: [{ name: 'f', description: '', parametersJsonSchema }] }];
  return requestProblem({ contents: [{ role: 'user', parts: [{ text: 'x' }] }], tools }, 'gemini-2.5-flash');
}

test('[GO9] what Gemini has another word for is translated', () => {
  const schema = toGeminiSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions: { Size: { type: 'integer', exclusiveMinimum: 0 } },
    properties: {
      kind: { const: 'a' },
      size: { $ref: '#/definitions/Size', description: 'not beside a reference' },
      name: { type: ['string', 'null'], pattern: '^x', minLength: 3 },
      list: { type: 'array', uniqueItems: true },
      both: {
        allOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { required: ['b', 'a'] }],
      },
      either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      flag: { enum: [true] },
    },
    required: ['kind', 'absent'],
    additionalProperties: false,
  });
  assert.deepEqual(schema, {
    type: 'object',
    properties: {
      kind: { enum: ['a'] },
      size: { $ref: '#/$defs/Size' },
      name: { type: ['string', 'null'] },
      list: { type: 'array', items: {} },
      both: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      flag: {},
    },
    required: ['kind'],
    additionalProperties: false,
    $defs: { Size: { type: 'integer', minimum: 1 } },
  });
  assert.equal(problemOf(schema), undefined);
});

test('[GO9] a tool whose parameters are a reference, or nothing at all, is the schema of an object', () => {
  const definition = { type: 'object', properties: { a: { type: 'string' } } };
  assert.deepEqual(toGeminiSchema({ $ref: '#/$defs/Root', $defs: { Root: definition } }), {
    ...definition,
    $defs: { Root: definition },
  });
  assert.deepEqual(toGeminiSchema({}), { type: 'object', properties: {} });
});

test('[GO9] no schema breaks a request', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'required',
    'enum',
    '$ref',
    'anyOf',
    'allOf',
    'not',
    '$defs',
    'const',
    'maximum',
  );
  const { schema } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 2 }),
    ),
    schema: fc.dictionary(fc.oneof(keyword, fc.string()), tie('value'), { maxKeys: 5 }),
  }));
  fc.assert(
    fc.property(schema, (value) => {
      assert.ok(isPlainObject(value));
      assert.equal(problemOf(toGeminiSchema(value)), undefined);
    }),
  );
});
