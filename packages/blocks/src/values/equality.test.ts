import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { stableDeepEqual } from '../index.ts';
import { anyJson } from '../testing/arbitraries.ts';

/** The same value with the keys of every object in another order. */
function shuffleKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, property]) => [key, shuffleKeys(property)]),
  );
}

/** Canonical text of a value: an independent notion of equality to compare the fast one with. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '0' : JSON.stringify(value);
  const entries = Object.entries(value).map(([key, property]) => `${JSON.stringify(key)}:${canonical(property)}`);
  return `{${entries.sort().join()}}`;
}

test('[EQ1] the order of keys does not count, at any depth', () => {
  assert.ok(stableDeepEqual({ a: 1, b: { c: 2, d: [{ e: 1, f: 2 }] } }, { b: { d: [{ f: 2, e: 1 }], c: 2 }, a: 1 }));
  fc.assert(fc.property(anyJson, (value) => stableDeepEqual(value, shuffleKeys(value))));
});

test('[EQ2] the order of array elements counts', () => {
  assert.equal(stableDeepEqual([1, 2], [2, 1]), false);
  assert.equal(stableDeepEqual([1], [1, 1]), false);
  assert.equal(stableDeepEqual([], {}), false);
  assert.equal(stableDeepEqual({ 0: 'a' }, ['a']), false);
});

test('[EQ3] it agrees with equality of canonical text on any two JSON values', () => {
  const anyPair = fc.oneof(
    fc.tuple(anyJson, anyJson),
    anyJson.map((value) => [value, shuffleKeys(value)] as const),
  );
  fc.assert(
    fc.property(anyPair, ([a, b]) => stableDeepEqual(a, b) === (canonical(a) === canonical(b))),
    {
      numRuns: 1000,
    },
  );
});

test('[EQ4] strings are compared code unit by code unit, without any normalisation', () => {
  assert.equal(stableDeepEqual('é', 'e\u0301'), false);
  assert.equal(stableDeepEqual('a\r\n', 'a\n'), false);
  assert.ok(stableDeepEqual('👩‍👧 \uD83D', '👩‍👧 \uD83D'));
});

test('[EQ5] an undefined field counts as absent, null does not', () => {
  assert.ok(stableDeepEqual({ a: undefined }, {}));
  assert.ok(stableDeepEqual({}, { a: undefined }));
  assert.equal(stableDeepEqual({ a: null }, {}), false);
  assert.equal(stableDeepEqual({ a: undefined, b: 1 }, { c: 1 }), false);
});

test('[EQ6] inherited names are not content', () => {
  assert.equal(stableDeepEqual({ constructor: 1 }, {}), false);
  assert.equal(stableDeepEqual(JSON.parse('{"__proto__":{"a":1}}'), {}), false);
  assert.ok(stableDeepEqual(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')));
});

test('[EQ7] a value nested a hundred thousand levels deep does not overflow the stack', () => {
  const nest = (leaf: unknown): unknown => {
    let value = leaf;
    for (let level = 0; level < 100_000; level += 1) value = level % 2 === 0 ? [value] : { inner: value };
    return value;
  };
  assert.ok(stableDeepEqual(nest(1), nest(1)));
  assert.equal(stableDeepEqual(nest(1), nest(2)), false);
});
