import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from '@loom/blocks';
import { TextWindow } from './text-window.ts';

test('[LO17] a window over a text gives the text that the splices give, wherever they are', () => {
  const anyLength = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 6000 }));
  const anyStep = fc.record({
    near: fc.boolean(),
    place: fc.nat(),
    delete: anyLength,
    insert: fc.string(),
    times: anyLength,
  });
  fc.assert(
    fc.property(fc.string(), fc.nat({ max: 3000 }), fc.array(anyStep, { maxLength: 60 }), (piece, repeats, steps) => {
      const start = piece.repeat(repeats);
      const window = new TextWindow(start);
      let text = start;
      let last = 0;
      for (const { near, place, delete: wanted, insert: word, times } of steps) {
        const insert = word.repeat(times % 7 === 0 ? times : 1);
        const at = near ? Math.min(text.length, Math.max(0, last + (place % 5) - 2)) : place % (text.length + 1);
        const splices = [{ at, delete: Math.min(wanted, text.length - at), insert }];
        // Some edits are made in two places at once.
        if (place % 7 === 0 && at > 0) splices.unshift({ at: 0, delete: 1, insert: 'x' });
        if (place % 5 === 0) splices.push({ at, delete: 0, insert: 'behind' });
        window.splice(splices);
        text = spliceText(text, splices);
        last = at + insert.length;
        assert.equal(window.text, text);
        const end = Math.min(text.length, last + 5);
        assert.equal(window.slice(Math.min(at, end), end), text.slice(Math.min(at, end), end));
        assert.equal(window.slice(0, end), text.slice(0, end));
      }
    }),
    { numRuns: 200 },
  );
});
