import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { describeIssues } from './issue-text.ts';

const shape = z.strictObject({
  kind: z.discriminatedUnion('op', [
    z.strictObject({ op: z.literal('insert'), line: z.int().min(0) }),
    z.strictObject({ op: z.literal('delete') }),
  ]),
  list: z.array(z.string()).min(1),
  how: z.enum(['fast', 'slow']),
  small: z.number().max(3),
  either: z.union([z.string(), z.number()]),
});

test('[BK5] every kind of problem is told in plain words, with its place', () => {
  const good = { kind: { op: 'delete' }, list: ['x'], how: 'fast', small: 1, either: 1 };
  const told = (value: object): string => {
    const { error } = shape.safeParse({ ...good, ...value });
    return error === undefined ? '' : describeIssues(error);
  };
  assert.equal(told({}), '');
  assert.equal(told({ kind: { op: 'x' } }), 'kind.op has to be insert or delete');
  assert.equal(told({ kind: { op: 'insert', line: 1.5 } }), 'kind.line has to be a whole number');
  assert.equal(told({ kind: { op: 'insert', line: -1 } }), 'kind.line has to be 0 or more');
  assert.equal(told({ list: [] }), 'list must not be empty');
  assert.equal(told({ list: [1] }), 'list[0] has to be text');
  assert.equal(told({ list: 'x' }), 'list has to be a list');
  assert.equal(told({ how: 'x' }), 'how has to be "fast" or "slow"');
  assert.equal(told({ small: 4 }), 'small has to be 3 or less');
  assert.equal(told({ either: true }), 'either has none of the shapes that it may have');
  assert.equal(told({ other: 1 }), 'it has a field that is not known: other');
});
