import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortRanges } from './id-range.ts';
import type { IdRange } from './id-range.ts';
import { RangeMap } from './range-map.ts';
import { SeededRandom } from './testing/seeded-random.ts';

test('[DO9] runs of ids answer like a map that has every id for itself', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const random = new SeededRandom(seed);
    const map = new RangeMap<string>();
    const plain = new Map<string, string>();
    for (let step = 0; step < 60; step += 1) {
      const range = randomRange(random);
      if (random.chance(30)) {
        const change = (value = ''): string => `${value}${step % 7}`;
        map.update(range, change);
        for (const id of idsOf(range)) plain.set(id, change(plain.get(id)));
      } else {
        const value = `v${random.below(5)}`;
        map.set(range, value);
        for (const id of idsOf(range)) plain.set(id, value);
      }
      const asked = randomRange(random);
      const segments = map.segments(asked);
      assert.deepEqual(segments.flatMap(idsOf), idsOf(asked), `seed ${seed}: every id once, in order`);
      for (const segment of segments) {
        assert.ok(segment.length > 0);
        for (const id of idsOf(segment)) assert.equal(segment.value, plain.get(id), `seed ${seed}, ${id}`);
      }
    }
  }
});

test('[DO9] a value that is an id itself moves along with its run', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const random = new SeededRandom(seed);
    const map = new RangeMap<number>((value, offset) => value + offset);
    const plain = new Map<string, number>();
    for (let step = 0; step < 60; step += 1) {
      const range = randomRange(random);
      const value = random.below(1000);
      map.set(range, value);
      for (const [offset, id] of idsOf(range).entries()) plain.set(id, value + offset);
      for (const segment of map.segments(randomRange(random))) {
        for (const [offset, id] of idsOf(segment).entries()) {
          const found = segment.value === undefined ? undefined : segment.value + offset;
          assert.equal(found, plain.get(id), `seed ${seed}, ${id}`);
        }
      }
    }
  }
});

test('[DO9] sorted ranges hold the same ids, each once, and none of them touches the next', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const random = new SeededRandom(seed);
    const ranges = Array.from({ length: random.below(12) }, () => randomRange(random));
    const sorted = sortRanges(ranges);
    assert.deepEqual(sorted.flatMap(idsOf).sort(), [...new Set(ranges.flatMap(idsOf))].sort(), `seed ${seed}`);
    for (const [place, { client, clock, length }] of sorted.entries()) {
      const next = sorted[place + 1];
      assert.ok(next === undefined || next.client > client || next.clock > clock + length, `seed ${seed}`);
    }
  }
});

function randomRange(random: SeededRandom): IdRange {
  return { client: random.below(2), clock: random.below(40), length: 1 + random.below(12) };
}

function idsOf({ client, clock, length }: IdRange): string[] {
  return Array.from({ length }, (_, offset) => `${client}:${clock + offset}`);
}
