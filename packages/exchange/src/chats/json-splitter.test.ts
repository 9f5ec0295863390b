import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyJson } from '@loom/blocks/testing';
import { JsonSplitter } from './json-splitter.ts';

function split(text: string, size = text.length + 1, longest?: number): unknown[] {
  const bytes = new TextEncoder().encode(text);
  const elements: unknown[] = [];
  const splitter = new JsonSplitter((element) => void elements.push(JSON.parse(element)), longest);
  for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
  splitter.end();
  return elements;
}

test('[CE1] a document is cut into the elements of its array, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(anyJson), fc.integer({ min: 1, max: 9 }), fc.nat(3), (values, size, indent) => {
      assert.deepEqual(split(`\uFEFF ${JSON.stringify(values, undefined, indent)}\n`, size), values);
    }),
  );
  fc.assert(
    fc.property(anyJson, fc.integer({ min: 1, max: 9 }), (value, size) => {
      if (!Array.isArray(value)) assert.deepEqual(split(` ${JSON.stringify(value)} `, size), [value]);
    }),
  );
});

test('[CE2] a document that is cut off, nested too deep, too large or not alone ends in an error that says so', () => {
  const coded = (code: string) => ({ code: `chat-export-${code}` });
  assert.throws(() => split('[{"a":"b'), coded('cut-off'));
  assert.throws(() => split('[{"a":1}'), coded('cut-off'));
  assert.throws(() => split(''), coded('cut-off'));
  assert.throws(() => split('[] {}'), coded('broken'));
  assert.throws(() => split(`[${'['.repeat(30_000)}`), coded('too-deep'));
  assert.throws(() => split(`["${'x'.repeat(200)}"]`, 10, 100), coded('too-large'));
  const advice = /Conversation 2 of the file is .*Nothing was taken in\. Take it out of the file/u;
  assert.throws(() => split(`[1,${'['.repeat(30_000)}`), advice);
  assert.throws(() => split(`[1,"${'x'.repeat(200)}"]`, 10, 100), advice);
  assert.throws(
    () => split(`"${'x'.repeat(200)}"`, 10, 100),
    /The conversation in the file is .*Export a shorter part/u,
  );
});
