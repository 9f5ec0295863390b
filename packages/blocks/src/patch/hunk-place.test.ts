import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { locateHunk } from './hunk-place.ts';

const anyLine = fc.nat(1);
const anySearch = fc.record({
  text: fc.array(anyLine, { minLength: 60, maxLength: 200 }),
  lines: fc.array(anyLine, { minLength: 3, maxLength: 6 }),
  start: fc.nat(220),
  context: fc.integer({ min: 1, max: 3 }),
  displacement: fc.integer({ min: -100, max: 100 }),
  floor: fc.nat(60),
});

test('[PT2] the nearest place is found, of two the later one, never before the floor', () => {
  let found = 0;
  fc.assert(
    fc.property(anySearch, ({ text, lines, start, context, displacement, floor }) => {
      const pattern = { lines, start, contextBefore: context, contextBehind: context };
      const guess = start + displacement;
      const nearestFirst = [guess];
      for (let distance = 1; distance < 600; distance += 1) nearestFirst.push(guess + distance, guess - distance);
      const fits = (place: number): boolean =>
        place >= floor && lines.join() === text.slice(place, place + lines.length).join();
      const expected = nearestFirst.find(fits);
      if (expected !== undefined && expected !== guess) found += 1;
      assert.equal(locateHunk(text, pattern, displacement, floor), expected);
    }),
    { numRuns: 1000 },
  );
  assert.ok(found > 100);
});

test('[PT3] less context on one side ties a hunk to that end', () => {
  const text = [1, 2, 1, 2, 1, 2];
  const search = (contextBefore: number, contextBehind: number, start: number, floor = 0) =>
    locateHunk(text, { lines: [1, 2], start, contextBefore, contextBehind }, 0, floor);
  assert.equal(search(1, 1, 0), 0);
  assert.equal(search(1, 0, 0), 4);
  assert.equal(search(0, 1, 0), 0);
  assert.equal(search(0, 1, 3), 4);
  assert.equal(search(0, 1, 0, 1), undefined);
  assert.equal(locateHunk([1, 2, 3], { lines: [1, 2], start: 0, contextBefore: 1, contextBehind: 0 }, 0, 0), undefined);
  assert.equal(locateHunk([3, 1, 2], { lines: [1, 2], start: 0, contextBefore: 0, contextBehind: 1 }, 0, 0), undefined);
  const uneven = { lines: [1, 2, 3, 4], contextBefore: 2, contextBehind: 1 };
  assert.equal(locateHunk([0, 1, 2, 3, 4, 5], { ...uneven, start: 1 }, 0, 0), 1);
  assert.equal(locateHunk([0, 1, 2, 3, 4, 5], { ...uneven, start: 2 }, 0, 0), undefined);
  assert.equal(locateHunk([0, 1, 2, 3, 4, 5], { ...uneven, start: 0 }, 1, 0), undefined);
});

test('[PT4] without context only the line that it says counts', () => {
  const search = (lines: number[], start: number, displacement = 0, floor = 0) =>
    locateHunk([1, 2, 3], { lines, start, contextBefore: 0, contextBehind: 0 }, displacement, floor);
  assert.equal(search([2], 1), 1);
  assert.equal(search([2], 0), undefined);
  assert.equal(search([2], 0, 1), undefined);
  assert.equal(search([], 3), 3);
  assert.equal(search([], 4), undefined);
  assert.equal(search([], 1, 0, 2), undefined);
});

test('[PT19] a search reads each line a bounded number of times, however repetitive the text', () => {
  let reads = 0;
  const text = new Proxy(
    Array.from({ length: 20_000 }, () => 0),
    {
      get(lines, key, receiver): unknown {
        reads += 1;
        return Reflect.get(lines, key, receiver);
      },
    },
  );
  const lines = [...Array.from({ length: 8000 }, () => 0), 1, 0];
  assert.equal(locateHunk(text, { lines, start: 6000, contextBefore: 1, contextBehind: 1 }, 0, 0), undefined);
  assert.ok(reads < 20 * text.length, `${reads} reads of ${text.length} lines`);
});
