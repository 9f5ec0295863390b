import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { carryLineEdits } from './carried-edits.ts';
import { planLineEdits } from './line-edits.ts';
import type { LineOperation } from './line-operation.ts';
import { lineCount } from './lines.ts';
import { anyLines, anyOperations, anyPlainLines } from './testing/arbitraries.ts';
import { judgeCarriedEdits } from './testing/carry-reference.ts';

const insert = (line: number, content: string): LineOperation => ({ op: 'insert', line, content });
const remove = (start_line: number, end_line: number): LineOperation => ({ op: 'delete', start_line, end_line });
const replace = (start_line: number, end_line: number, content: string): LineOperation => ({
  op: 'replace',
  start_line,
  end_line,
  content,
});
const splice = (at: number, count: number, text: string): TextSplice => ({ at, delete: count, insert: text });

/** The newest text after the edit, or the reason of its refusal. */
function carry(base: string, later: TextSplice[][], ...operations: LineOperation[]): string {
  const plan = carryLineEdits(base, later, operations);
  if (!plan.ok) return plan.refusal.reason;
  return spliceText(later.reduce(spliceText, base), plan.splices);
}

test('[CY1] without later changes nothing is different', () => {
  const anyCase = anyLines.chain((text) => fc.tuple(fc.constant(text), anyOperations(text, lineCount(text), anyLines)));
  fc.assert(
    fc.property(anyCase, ([text, operations]) => {
      assert.deepEqual(carryLineEdits(text, [], operations), planLineEdits(text, operations));
      assert.deepEqual(carryLineEdits(text, [[], []], operations), planLineEdits(text, operations));
    }),
    { numRuns: 500 },
  );
});

test('[CY1] changes elsewhere move the lines, not the edit', () => {
  const later = [[splice(0, 0, 'new\n'), splice(4, 2, '')], [splice(0, 1, 'N')]];
  assert.equal(carry('a\nb\nc\nd\n', later, replace(1, 2, 'B'), insert(3, 'x')), 'New\na\nB\nx\nd\n');
  assert.equal(carry('a\r\nb\r\n', [[splice(0, 1, 'aa')]], replace(1, 2, 'x\ny')), 'aa\r\nx\r\ny\r\n');
});

test('[CY2] a change of the addressed lines refuses the edit', () => {
  const base = 'aa\nbb\ncc\n';
  const inside = [
    splice(4, 0, 'x'),
    splice(5, 0, 'x'),
    splice(3, 1, ''),
    splice(5, 1, ''),
    splice(2, 2, ''),
    splice(0, 9, ''),
  ];
  for (const change of inside) {
    assert.equal(carry(base, [[change]], replace(1, 2, 'x')), 'version-mismatch', JSON.stringify(change));
    assert.equal(
      carry(base, [[splice(0, 0, 'q')], [{ ...change, at: change.at + 1 }]], remove(1, 2)),
      'version-mismatch',
    );
  }
  assert.equal(carry(base, [[splice(4, 0, 'x')], [splice(4, 1, '')]], remove(1, 2)), 'version-mismatch');
});

test('[CY3] what arrives at the edges stays outside, and behind an insert', () => {
  const base = 'aa\nbb\ncc\n';
  assert.equal(carry(base, [[splice(3, 0, 'x\n')]], replace(1, 2, 'B')), 'aa\nx\nB\ncc\n');
  assert.equal(carry(base, [[splice(6, 0, 'x\n')]], replace(1, 2, 'B')), 'aa\nB\nx\ncc\n');
  assert.equal(carry(base, [[splice(6, 3, 'x')]], replace(1, 2, 'B')), 'aa\nB\nx');
  assert.equal(carry(base, [[splice(0, 3, 'x')]], replace(1, 2, 'B')), 'xB\ncc\n');
  assert.equal(carry(base, [[splice(3, 0, 'x')]], insert(1, 'I')), 'aa\nI\nxbb\ncc\n');
});

test('[CY3] a range that no longer starts a line is still replaced, and only it', () => {
  assert.equal(carry('a\nb\nc', [[splice(1, 1, '')]], replace(1, 2, 'B')), 'aB\nc');
  // The empty line that comes in goes on with what precedes it, so it needs no break to be there.
  assert.equal(carry('a\n\nb', [[splice(1, 1, '')]], replace(1, 3, '\n')), 'a');
});

test('[CY4] an insert needs the place between its two lines', () => {
  const base = 'aa\nbb\ncc\n';
  assert.equal(carry(base, [[splice(2, 2, '')]], insert(1, 'I')), 'version-mismatch');
  assert.equal(carry(base, [[splice(2, 1, ' ')]], insert(1, 'I')), 'version-mismatch');
  assert.equal(carry(base, [[splice(0, 3, '')]], insert(1, 'I')), 'I\nbb\ncc\n');
  assert.equal(carry(base, [[splice(3, 3, '')]], insert(1, 'I')), 'aa\nI\ncc\n');
});

test('[CY5] an insert at line_count goes to the end of the newest text', () => {
  assert.equal(carry('a\nb', [[splice(3, 0, 'bb\nc')]], insert(2, 'x\n')), 'a\nbbb\nc\nx');
  assert.equal(carry('a\nb', [[splice(3, 0, '\n')]], insert(2, 'x')), 'a\nb\nx\n');
  assert.equal(carry('a\n', [[splice(2, 0, 'more')]], insert(1, 'x\n')), 'a\nmore\nx');
  assert.equal(carry('', [[splice(0, 0, 'a\r\nb')]], insert(0, 'x\n')), 'a\r\nb\r\nx');
  assert.equal(carry('a\n', [[splice(0, 2, '')]], insert(1, 'x')), 'x');
});

test('[CY6] an unended last line goes without its continuation', () => {
  assert.equal(carry('a\nb', [[splice(3, 0, 'ye')]], replace(1, 2, 'c\n')), 'a\ncye');
  assert.equal(carry('a\nb', [[splice(3, 0, 'ye')]], remove(1, 2)), 'a\nye');
  assert.equal(carry('a\nb', [[splice(3, 0, '\nz')]], replace(1, 2, 'c\n')), 'a\nc\nz');
  assert.equal(carry('a\nb', [[splice(3, 0, '\nz')]], remove(1, 2)), 'a\nz');
  assert.equal(carry('a\nb', [[splice(3, 0, '\r\n')]], remove(1, 2)), 'a\n');
  assert.equal(carry('a\nb', [[splice(0, 1, 'A')]], remove(1, 2)), 'A');
});

test('[CY7] the base is checked first, then the first touched operation is named', () => {
  const wrong: LineOperation = { op: 'delete', start_line: 0, end_line: 1, expected_text: 'x' };
  const touching = [[splice(0, 1, 'z')]];
  assert.equal(carry('a\nb\n', touching, wrong), 'text-mismatch');
  assert.equal(carry('a\nb\n', touching, insert(3, 'x')), 'line-out-of-range');
  assert.deepEqual(carryLineEdits('a\nb\n', touching, [remove(0, 1)]), {
    ok: false,
    refusal: {
      reason: 'version-mismatch',
      start_line: 0,
      end_line: 1,
    },
  });
  const batch = carryLineEdits('a\nb\n', [[splice(0, 4, '')]], [insert(2, 'x'), remove(1, 2), remove(0, 1)]);
  assert.ok(!batch.ok && batch.refusal.reason === 'batch-failed');
  assert.equal(batch.refusal.op_index, 1);
  assert.equal(batch.refusal.refusal.reason, 'version-mismatch');
});

test('[CY8] edits are carried as a reference carries them that follows every character', () => {
  const seen = { carried: 0, touched: 0 };
  const anyWish = fc.record({ at: fc.nat(), delete: fc.nat(5), insert: fc.constantFrom('', 'x', '\n', 'y\n', '\nz') });
  const anyCase = anyPlainLines.chain((text) =>
    fc.tuple(
      fc.constant(text),
      anyOperations(text, lineCount(text), anyPlainLines),
      fc.array(fc.array(anyWish, { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
    ),
  );
  fc.assert(
    fc.property(anyCase, ([base, operations, wishes]) => {
      fc.pre(planLineEdits(base, operations).ok);
      let newest = base;
      const later = wishes.map((change) => {
        const splices = fitSplices(newest, change);
        newest = spliceText(newest, splices);
        return splices;
      });
      const plan = carryLineEdits(base, later, operations);
      const verdict = judgeCarriedEdits(base, later, operations);
      if (plan.ok) {
        seen.carried += 1;
        assert.deepEqual({ text: spliceText(newest, plan.splices) }, verdict);
      } else {
        seen.touched += 1;
        assert.ok('touched' in verdict, JSON.stringify(plan.refusal));
        const index = plan.refusal.reason === 'batch-failed' ? plan.refusal.op_index : 0;
        assert.equal(index, Math.min(...verdict.touched));
      }
    }),
    { numRuns: 4000 },
  );
  assert.ok(seen.carried > 1000 && seen.touched > 300, JSON.stringify(seen));
});

/** Splices that a text of that length admits: in range, in order, not overlapping. */
function fitSplices(text: string, wishes: readonly TextSplice[]): TextSplice[] {
  let free = 0;
  return wishes.map((wish) => {
    const at = free + (wish.at % (text.length - free + 1));
    const count = Math.min(wish.delete, text.length - at);
    free = at + count;
    return { at, delete: count, insert: wish.insert };
  });
}
