import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { carryLineEdits } from './carried-edits.ts';
import { planLineEdits } from './line-edits.ts';
import type { LineOperation } from './line-operation.ts';
import { lineStarts } from './lines.ts';
import { LineModel } from './testing/line-model.ts';

// Few words, so that neighbors are often alike and a change can be spelled in several ways.
const anyWords = fc.constantFrom('a', 'b', 'ab', 'ba');
const anyEdit = fc.record({
  first: fc.nat(),
  second: fc.nat(),
  words: fc.array(anyWords, { maxLength: 2 }),
  isTyped: fc.boolean(),
});
type AnyEdit = typeof anyEdit extends fc.Arbitrary<infer Edit> ? Edit : never;

test('[CY9] an edit goes through exactly if its lines are there, whoever removed or added lines around them', () => {
  const seen = { carried: 0, refused: 0 };
  const anyCase = fc.record({
    base: fc.array(anyWords, { minLength: 1, maxLength: 5 }),
    isEnded: fc.boolean(),
    later: fc.array(anyEdit, { minLength: 1, maxLength: 4 }),
    edit: anyEdit,
  });
  fc.assert(
    fc.property(anyCase, ({ base, isEnded, later, edit }) => {
      const model = new LineModel(base, isEnded);
      const text = model.text;
      const { start, end } = rangeOf(base.length, edit);
      // An insert at the end belongs to the end, which no change can take away.
      const isAtEnd = start === base.length;
      const addressed = start < end ? model.lines.slice(start, end) : isAtEnd ? [] : [model.mark(start)];
      let isIntact = true;
      const changes = later.map((change) => {
        const splices = makeChange(model, change);
        // Text that came between them stays a change of them, also when it is gone again.
        isIntact &&= isAtEnd || model.has(addressed);
        return splices;
      });
      const newest = changes.reduce(spliceText, text);
      assert.equal(newest, model.text);

      const plan = carryLineEdits(text, changes, [operationOn(start, end, edit.words)]);
      const count = model.lines.length;
      if (isAtEnd) model.replace(count, count, edit.words);
      else if (isIntact) model.replaceLines(addressed, edit.words);
      fc.pre(model.lines.length > 0);
      const carried = plan.ok ? spliceText(newest, plan.splices) : plan.refusal.reason;
      assert.equal(carried, isIntact ? model.text : 'version-mismatch');
      seen[isIntact ? 'carried' : 'refused'] += 1;
    }),
    { numRuns: 4000, seed: 24 },
  );
  assert.ok(seen.carried > 1000 && seen.refused > 500, JSON.stringify(seen));
});

test('[CY9] the line before a last line without a break stays when that line goes', () => {
  const plan = carryLineEdits('a\nb', [[{ at: 1, delete: 2, insert: '' }]], [operationOn(0, 1, ['A'])]);
  assert.deepEqual(plan, { ok: true, splices: [{ at: 0, delete: 1, insert: 'A' }] });
  const gone = carryLineEdits('a\nb', [[{ at: 1, delete: 1, insert: '' }]], [operationOn(0, 1, ['A'])]);
  assert.equal(!gone.ok && gone.refusal.reason, 'version-mismatch');
});

/** Changes the model and says with which splices a program may have done the same. */
function makeChange(model: LineModel, edit: AnyEdit): TextSplice[] {
  const { start, end } = rangeOf(model.lines.length, edit);
  const text = model.text;
  const starts = lineStarts(text);
  // A text that was emptied has no ending to keep.
  const words = start === 0 && end === model.lines.length && edit.words.length === 0 ? ['a'] : edit.words;
  model.replace(start, end, words);
  const from = (starts[start] ?? 0) - 1;
  if (edit.isTyped && from > 0 && text.charAt(from) === '\n') {
    // A person presses Enter at the end of a line, or deletes backwards to it.
    if (start === end) return [{ at: from, delete: 0, insert: words.map((line) => `\n${line}`).join('') }];
    const to = (starts[end] ?? 0) - (text.charAt((starts[end] ?? 0) - 1) === '\n' ? 1 : 0);
    if (words.length === 0) return [{ at: from, delete: to - from, insert: '' }];
  }
  const plan = planLineEdits(text, [operationOn(start, end, words)]);
  assert.ok(plan.ok);
  return plan.splices;
}

function rangeOf(count: number, { first, second }: AnyEdit): { start: number; end: number } {
  const [a, b] = [first % (count + 1), second % (count + 1)];
  return { start: Math.min(a, b), end: Math.max(a, b) };
}

function operationOn(start: number, end: number, words: readonly string[]): LineOperation {
  const content = words.join('\n');
  return start === end
    ? { op: 'insert', line: start, content }
    : { op: 'replace', start_line: start, end_line: end, content };
}
