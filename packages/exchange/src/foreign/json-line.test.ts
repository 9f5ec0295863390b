import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJsonLine } from './json-line.ts';

test('[IM3] objects that a lost break has glued together are read one by one', () => {
  const first = { text: 'a } { "b" \\', list: [{}, { c: '}' }] };
  const second = { d: 1 };
  const line = `${JSON.stringify(first)}${JSON.stringify(second)} ${JSON.stringify({})}`;
  assert.deepEqual(readJsonLine(line), { kind: 'objects', objects: [first, second, {}], isGlued: true });
});

test('[IM3] zero bytes before and after a line, which a crash may leave, are passed over', () => {
  assert.deepEqual(readJsonLine('\0\0{"a":1}\0'), { kind: 'objects', objects: [{ a: 1 }], isGlued: false });
  assert.deepEqual(readJsonLine('\0\0'), { kind: 'blank' });
});

test('[IM3] what is nested too deep is told, alone and among objects that ran together', () => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  assert.equal(readJsonLine(nested(499)).kind, 'objects');
  assert.equal(readJsonLine(nested(500)).kind, 'deep');
  assert.equal(readJsonLine(nested(100_000)).kind, 'deep');
  assert.equal(readJsonLine(`{}${nested(499)}`).kind, 'objects');
  assert.equal(readJsonLine(`{}${nested(500)}`).kind, 'deep');
});

test('[IM3] what is no object is told apart: other JSON, nothing, a line that was cut off, and anything else', () => {
  assert.deepEqual(readJsonLine('42'), { kind: 'value', value: 42 });
  assert.deepEqual(readJsonLine('[1]'), { kind: 'value', value: [1] });
  assert.deepEqual(readJsonLine(' \t'), { kind: 'blank' });
  assert.deepEqual(readJsonLine('{"a": {"b": "c'), { kind: 'broken', isCut: true });
  assert.deepEqual(readJsonLine('{"a":1}{"b":'), { kind: 'broken', isCut: true });
  assert.deepEqual(readJsonLine('// a comment'), { kind: 'broken', isCut: false });
  assert.deepEqual(readJsonLine('{}'), { kind: 'objects', objects: [{}], isGlued: false });
});
