import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { copyJson, formatProblems } from '../index.ts';

test('[JS1] a copy is what JSON gives back, and shares nothing with the original', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copied = copyJson(value);
      assert.ok(copied.ok);
      assert.deepStrictEqual(copied.value, JSON.parse(JSON.stringify(value)));
      if (typeof value === 'object' && value !== null) assert.notEqual(copied.value, value);
    }),
  );
  const withProto: unknown = JSON.parse('{"__proto__":{"a":1},"b":[{}]}');
  assert.equal(JSON.stringify(copyJson(withProto)), `{"ok":true,"value":${JSON.stringify(withProto)}}`);
  assert.deepStrictEqual(copyJson({ a: undefined, b: -0 }), { ok: true, value: { b: 0 } });
});

test('[JS2] what JSON would change silently is refused, with its place', () => {
  const circle: Record<string, unknown> = {};
  circle['itself'] = circle;
  const cases: [unknown, RegExp][] = [
    [{ a: [1, Number.NaN] }, /^a\[1\] is NaN/],
    [Infinity, /^the value is Infinity/],
    [Array(2), /^\[0\] is of the type undefined/],
    [{ at: new Date(0) }, /^at is not a plain object/],
    [{ f: () => 1 }, /^f is of the type function/],
    [{ big: 1n }, /^big is of the type bigint/],
    [circle, /nested more than 1000 levels deep/],
  ];
  for (const [value, problem] of cases) {
    const copied = copyJson(value);
    assert.ok(!copied.ok);
    assert.match(formatProblems(copied.problems), problem);
  }
});
