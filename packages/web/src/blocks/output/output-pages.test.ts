import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bytesOfPages, countPages, textsOfPages } from './output-pages.ts';

const line = fc.oneof(
  fc.constantFrom('\n', 'a\n', 'äöü€😀\n'),
  fc.nat(300_000).map((length) => `${'😀x'.repeat(Math.ceil(length / 5))}\n`),
);

test('[WB211] the pages of an output are all of it, whether they are read alone or together', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (lines, atOnce) => {
      const whole = lines.join('');
      const bytes = new TextEncoder().encode(whole);
      const pages = countPages(bytes.length);
      for (const count of [1, atOnce]) {
        let text = '';
        for (let first = 0; first < pages; first += count) {
          const some = Math.min(count, pages - first);
          const { start, end } = bytesOfPages(first, some, bytes.length);
          text += textsOfPages(bytes.subarray(start, end), first, some, bytes.length).join('');
        }
        assert.equal(text.length, whole.length);
        assert.ok(text === whole);
      }
    }),
    { numRuns: 60 },
  );
});
