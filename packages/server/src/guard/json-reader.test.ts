import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError } from '../answers/problems.ts';
import { deepest, mostValues, readJson } from './json-reader.ts';

function refusalOf(text: string | Uint8Array): string {
  try {
    readJson(typeof text === 'string' ? Buffer.from(text) : text);
  } catch (error) {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.problem.reason, 'not-json');
    return error.message;
  }
  return 'taken';
}

test('[SV8] JSON is taken up to a depth, whatever is in its strings', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}"[[{{\\"["${']'.repeat(depth)}`;
  assert.equal(refusalOf(nested(deepest)), 'taken');
  assert.match(refusalOf(nested(deepest + 1)), /nested more than 100 deep/u);
  assert.match(refusalOf('{"a":'.repeat(1_000_000)), /nested more than 100 deep/u);
});

test('[SV8] JSON is taken up to a number of values, whatever is in its strings', () => {
  const list = (length: number): string => `[${Array.from({ length }, () => '",,,[["').join(',')}]`;
  assert.equal(refusalOf(list(mostValues)), 'taken');
  assert.match(refusalOf(list(mostValues + 1)), /more than 50000 values/u);
  assert.match(refusalOf('[],'.repeat(1_000_000)), /more than 50000 values/u);
});

test('[SV8] a key that could change a prototype is refused however it is written, and a text about it is not', () => {
  assert.match(refusalOf('{"a":[{"__proto__":{"isOwner":true}}]}'), /__proto__/u);
  assert.match(refusalOf(String.raw`{"\u005f_proto\u005F_":1}`), /__proto__/u);
  assert.deepEqual(readJson(Buffer.from('{"a":"__proto__"}')), { a: '__proto__' });
  assert.equal(Object.getPrototypeOf(readJson(Buffer.from('{}'))), Object.prototype);
});

test('[SV8] what is not UTF-8 or not JSON is refused with what is wrong', () => {
  assert.match(refusalOf(Buffer.from([0x22, 0xff, 0x22])), /not UTF-8/u);
  assert.match(refusalOf('\uFEFF{}'), /JSON/u);
  assert.match(refusalOf('{"a":1,}'), /JSON/u);
});
