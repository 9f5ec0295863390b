import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { describeProblems, messageBlock } from './index.ts';

function problemsOf(schema: z.ZodType, value: unknown): string {
  const parsed = schema.safeParse(value);
  assert.ok(!parsed.success);
  return describeProblems(parsed.error);
}

const person = z.strictObject({
  name: z.string().min(1),
  age: z.int().nonnegative(),
  kind: z.enum(['a', 'b', 'c']),
  tags: z.array(z.string()).min(1).optional(),
});

test('[JS3] what a schema refuses is said in plain words: which field, and what it must be', () => {
  const good = { name: 'x', age: 1, kind: 'a' };
  assert.equal(problemsOf(person, 1), 'the value must be an object');
  assert.equal(problemsOf(person, { ...good, name: 2 }), 'name must be a string');
  assert.equal(problemsOf(person, { ...good, name: '' }), 'name must have at least 1 character');
  assert.equal(problemsOf(person, { ...good, age: 1.5 }), 'age must be a whole number');
  assert.equal(problemsOf(person, { ...good, age: -1 }), 'age must be at least 0');
  assert.equal(problemsOf(person, { ...good, age: Number.NaN }), 'age must be a number');
  assert.equal(problemsOf(person, { ...good, kind: 'd' }), 'kind must be a, b or c');
  assert.equal(problemsOf(person, { ...good, tags: [] }), 'tags must have at least 1 element');
  assert.equal(problemsOf(person, { ...good, tags: ['a', 1] }), 'tags.1 must be a string');
  assert.equal(problemsOf(person, { ...good, x: 1 }), 'the value has an unknown key: x');
  assert.equal(problemsOf(person, { ...good, x: 1, y: 2 }), 'the value has unknown keys: x, y');
});

test('[JS3] of alternatives the nearest is described, and of many problems the first three', () => {
  const either = z.union([z.string(), z.strictObject({ at: z.int() })]);
  assert.equal(problemsOf(either, { at: 'x' }), 'at must be a number');
  assert.equal(problemsOf(messageBlock, { type: 'nothing' }), 'type is of no kind that may stand here');
  assert.match(problemsOf(messageBlock, { type: 'image', media_type: 'png', url: 'x' }), /^media_type must be a media/);
  const four = z.strictObject({ a: z.string(), b: z.string(), c: z.string(), d: z.string() });
  assert.equal(problemsOf(four, {}), 'a must be a string; b must be a string; c must be a string; and 1 more');
});
