import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { describeProblems, messageBlock } from '../index.ts';

function problemsOf(schema: z.ZodType, value: unknown): string {
  const parsed = schema.safeParse(value);
  assert.ok(!parsed.success);
  return describeProblems(parsed.error);
}

const task = z.strictObject({
  name: z.string().min(1).max(5),
  age: z.int().nonnegative().max(9),
  kind: z.enum(['a', 'b', 'c']),
  done: z.boolean().optional(),
  tags: z.array(z.string()).min(1).optional(),
  pair: z.array(z.string()).min(2).optional(),
  step: z
    .discriminatedUnion('op', [
      z.strictObject({ op: z.literal('insert'), line: z.int().min(0) }),
      z.strictObject({ op: z.literal('delete') }),
    ])
    .optional(),
  either: z.union([z.string(), z.strictObject({ at: z.int() })]).optional(),
});

const good = { name: 'x', age: 1, kind: 'a' };

for (const [problem, wrong] of [
  ['name must be a string', { name: 2 }],
  ['name must not be empty', { name: '' }],
  ['name must have at most 5 characters', { name: 'longer' }],
  ['age must be a whole number', { age: 1.5 }],
  ['age must be a number', { age: Number.NaN }],
  ['age must be at least 0', { age: -1 }],
  ['age must be at most 9', { age: 10 }],
  ['kind must be "a", "b" or "c"', { kind: 'd' }],
  ['done must be true or false', { done: 1 }],
  ['tags must be an array', { tags: 'x' }],
  ['tags must not be empty', { tags: [] }],
  ['tags[1] must be a string', { tags: ['a', 1] }],
  ['pair must have at least 2 elements', { pair: ['a'] }],
  ['step.op must be "insert" or "delete"', { step: { op: 'x' } }],
  ['step.line must be a whole number', { step: { op: 'insert', line: 1.5 } }],
  ['either.at must be a number', { either: { at: 'x' } }],
  ['the value has an unknown key: x', { x: 1 }],
  ['the value has unknown keys: x, y', { x: 1, y: 2 }],
] as const) {
  test(`[JS3] the refusal of a schema names the field and what it must be: ${problem}`, () => {
    assert.equal(problemsOf(task, { ...good, ...wrong }), problem);
  });
}

test('[JS3] the field of a value as a whole is the value', () => {
  assert.equal(problemsOf(task, 1), 'the value must be an object');
});

test('[JS3] of a message block the refusal names the types that there are, or what its own field must be', () => {
  assert.match(problemsOf(messageBlock, { type: 'nothing' }), /^type must be "text", .* or "[a-z_]+"$/);
  assert.match(problemsOf(messageBlock, { type: 'image', media_type: 'png', url: 'x' }), /^media_type must be a media/);
});

test('[JS3] of several problems the first of each field is described, and at most three', () => {
  const twice = z.strictObject({ a: z.string().min(9).startsWith('b') });
  assert.equal(problemsOf(twice, { a: 'c' }), 'a must have at least 9 characters');
  const four = z.strictObject({ a: z.string(), b: z.string(), c: z.string(), d: z.string() });
  assert.equal(problemsOf(four, {}), 'a must be a string; b must be a string; c must be a string; and 1 more');
});
