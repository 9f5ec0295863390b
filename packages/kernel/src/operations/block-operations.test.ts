import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { blockTools, fieldsOf, toolSchemas } from '../block-tools/testing/schema-fields.ts';
import { createToolWorld, isRefused } from '../block-tools/testing/tool-world.ts';
import { flatName, parametersOf } from './operation.ts';
import { patchAnswerSchema } from './patch-answer.ts';

/** The words of a JSON schema that Loom uses; a schema with any other would have to be looked at. */
const words = new Set([
  '$schema',
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'oneOf',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'maxItems',
]);

function assertSchema(schema: unknown, place: string): void {
  const {
    properties = {},
    required = [],
    ...rest
  } = z
    .looseObject({
      properties: z.record(z.string(), z.unknown()).exactOptional(),
      required: z.array(z.string()).exactOptional(),
    })
    .parse(schema);
  for (const word of Object.keys(rest))
    assert.ok(words.has(word), `${place}: ${word} is no word of JSON schema 2020-12`);
  assert.ok(
    ['object', 'array', 'string', 'integer', 'boolean', undefined].includes(z.string().optional().parse(rest['type'])),
  );
  assert.ok('type' in rest || 'oneOf' in rest, `${place} has a type`);
  for (const name of required) assert.ok(name in properties, `${place} has the ${name} that it requires`);
  for (const [name, property] of Object.entries(properties)) assertSchema(property, `${place}.${name}`);
  for (const inner of [rest['oneOf'], rest['prefixItems']].flatMap((list) =>
    z.array(z.unknown()).catch([]).parse(list),
  )) {
    assertSchema(inner, `${place}[]`);
  }
  if (rest['items'] !== undefined && rest['prefixItems'] === undefined) assertSchema(rest['items'], `${place}[]`);
}

test('[BT71] the parameters of each tool are one JSON schema of draft 2020-12: a closed object, with words for everything', () => {
  for (const tool of blockTools) {
    const schema = parametersOf(tool);
    assert.equal(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema');
    assert.equal(schema['type'], 'object');
    assert.equal(schema['additionalProperties'], false);
    assertSchema(schema, tool.name);
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema, 'it can be sent');
  }
});

test('[BT72] the names without dots, for MCP and for models, are unique and allowed there', () => {
  const names = blockTools.map(({ name }) => flatName(name));
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z][a-z0-9_]{0,63}$/);
  assert.ok(names.includes('block_apply_patch'));
  assert.ok(names.includes('kernel_search'));
});

test('[BT73] every tool and every parameter says what it is for, as briefly as models need it', () => {
  for (const { name, summary } of blockTools) {
    assert.ok(summary.length >= 50 && summary.length <= 500, `${name}: ${summary.length} characters`);
    assert.match(summary, /^[A-Z].*\.$/s, name);
  }
  for (const { name, params } of toolSchemas) {
    for (const { path, description } of fieldsOf(params)) {
      assert.ok(description.length >= 10, `${name} ${path} has a description`);
      assert.match(description, /^\S.*[.…]$/s, `${name} ${path}`);
    }
  }
});

test('[BT73] tools that say that they write are those that can change a log', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'x' });
  const { seq } = await world.state();
  const params: Record<string, unknown> = { block_id, query: 'x', from_version: 1, anchor: 0, versions: [] };
  for (const { name, params: schema } of blockTools.filter(({ effect }) => effect === 'reads')) {
    const known = Object.keys(schema.shape).filter((key) => key in params);
    const answer = await world.call(name, Object.fromEntries(known.map((key) => [key, params[key]])));
    assert.ok(!isRefused(answer), `${name}: ${JSON.stringify(answer)}`);
  }
  assert.equal((await world.state()).seq, seq);
  const readers = blockTools.filter(({ effect }) => effect === 'reads').map(({ name }) => name);
  assert.deepEqual(readers.toSorted(), [
    'block.diff',
    'block.history',
    'block.list',
    'block.read',
    'block.search',
    'block.sync',
    'cursor.set',
    'kernel.search',
  ]);
});

test('[BT74] what a tool answers is what its result schema says', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ metadata: { path: 'a' } });
  const calls: [name: string, params: Record<string, unknown>][] = [
    ['block.append', { block_id, text: 'one\n' }],
    ['block.status', { block_id, status: 'done' }],
    ['block.edit', { block_id, operations: [{ op: 'insert', line: 0, content: 'zero' }] }],
    ['block.splice', { block_id, offset: 0, delete_count: 0, insert: '0' }],
    ['block.apply_patch', { block_id, patch: '@@ -1,2 +1,2 @@\n-0zero\n+null\n one\n' }],
    ['block.apply_patch', { block_id, patch: 'none' }],
    ['block.undo', { block_id }],
    ['block.redo', { block_id }],
    ['block.create', { parent_id: block_id, role: 'user', kind: 'text', content: 'more' }],
    ['block.read', { block_id }],
    ['block.search', { block_id, query: 'o' }],
    ['block.list', { depth: 9 }],
    ['block.history', { block_id }],
    ['block.diff', { block_id, from_version: 1 }],
    ['block.sync', { versions: [[block_id, 1]] }],
    ['kernel.search', { query: 'o', kinds: ['text'] }],
    ['cursor.set', { block_id, anchor: 0 }],
  ];
  for (const [name, params] of calls) {
    const answer = await world.call(name, params);
    const tool = blockTools.find((other) => other.name === name);
    // A patch is answered in a special form at these doors.
    const result = name === 'block.apply_patch' ? patchAnswerSchema() : tool?.result;
    const parsed = result?.safeParse(answer);
    assert.ok(parsed?.success === true, `${name}: ${JSON.stringify(answer)} ${parsed?.error?.message ?? ''}`);
    assert.ok(!isRefused(answer), name);
  }
  assert.deepEqual([...new Set(calls.map(([name]) => name))].toSorted(), blockTools.map(({ name }) => name).toSorted());
});
