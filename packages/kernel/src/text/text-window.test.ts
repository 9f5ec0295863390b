import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from '@loom/blocks';
import { TextWindow } from './text-window.ts';

test('[LO17] a window over a text gives the text that the splices give, wherever they are', () => {
  const anyStep = fc.record({ near: fc.boolean(), place: fc.nat(), delete: fc.nat({ max: 30 }), insert: fc.string() });
  fc.assert(
    fc.property(fc.string({ minLength: 0, maxLength: 3000 }), fc.array(anyStep, { maxLength: 60 }), (start, steps) => {
      const window = new TextWindow(start);
      let text = start;
      let last = 0;
      for (const { near, place, delete: wanted, insert } of steps) {
        const at = near ? Math.min(text.length, Math.max(0, last + (place % 5) - 2)) : place % (text.length + 1);
        const splices = [{ at, delete: Math.min(wanted, text.length - at), insert }];
        // Some edits are made in two places at once.
        if (place % 7 === 0 && at > 0) splices.unshift({ at: 0, delete: 1, insert: 'x' });
        window.splice(splices);
        text = spliceText(text, splices);
        last = at + insert.length;
        assert.equal(window.text, text);
        const end = Math.min(text.length, last + 5);
        const part = window.slice(Math.min(at, end), end);
        assert.ok(part === undefined || part === text.slice(Math.min(at, end), end));
        assert.equal(window.slice(at, Math.min(at + 1, text.length)), text.slice(at, at + 1));
      }
    }),
    { numRuns: 300 },
  );
});
