import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from '../text/text-splice.ts';
import { planLineEdits } from './line-edits.ts';
import type { LineOperation } from './line-operation.ts';
import { lineCount } from './lines.ts';
import { anyLines, anyOperations } from './testing/arbitraries.ts';
import { judgeLineEdits } from './testing/line-reference.ts';

const insert = (line: number, content: string): LineOperation => ({ op: 'insert', line, content });
const remove = (start_line: number, end_line: number): LineOperation => ({ op: 'delete', start_line, end_line });
const replace = (start_line: number, end_line: number, content: string): LineOperation => ({
  op: 'replace',
  start_line,
  end_line,
  content,
});
const expecting = (start_line: number, end_line: number, expected_text: string): LineOperation => ({
  op: 'delete',
  start_line,
  end_line,
  expected_text,
});

/** The text after the operations; a refusal fails the test. */
function edit(text: string, ...operations: LineOperation[]): string {
  const plan = planLineEdits(text, operations);
  assert.ok(plan.ok, plan.ok ? '' : JSON.stringify(plan.refusal));
  return spliceText(text, plan.splices);
}

function refusal(text: string, ...operations: LineOperation[]) {
  const plan = planLineEdits(text, operations);
  assert.ok(!plan.ok);
  return plan.refusal;
}

test('[LN4] an insert stands before its line, or at the end', () => {
  assert.equal(edit('a\nb\n', insert(0, 'x\n')), 'x\na\nb\n');
  assert.equal(edit('a\nb\n', insert(1, 'x\n')), 'a\nx\nb\n');
  assert.equal(edit('a\nb\n', insert(2, 'x\n')), 'a\nb\nx\n');
  assert.equal(edit('a\nb\n', replace(1, 1, 'x\ny\n')), 'a\nx\ny\nb\n');
  assert.equal(edit('a\nb\n', remove(1, 1)), 'a\nb\n');
  assert.equal(edit('a\nb\nc\n', remove(0, 2)), 'c\n');
  assert.equal(edit('a\nb\nc\n', replace(1, 2, 'x\n')), 'a\nx\nc\n');
});

test('[LN5] operations address the text before the batch, and their order decides only at one place', () => {
  const batch = [insert(2, '3'), replace(0, 1, '1'), insert(0, '0'), replace(1, 2, '2'), insert(2, '4'), remove(2, 3)];
  assert.equal(edit('a\nb\nc\nd\n', ...batch), '0\n1\n2\n3\n4\nd\n');
  assert.equal(edit('a\nb\nc\nd', ...batch), '0\n1\n2\n3\n4\nd');
  assert.equal(edit('a\nb\n', insert(1, 'x'), insert(1, 'y'), replace(1, 1, 'z')), 'a\nx\ny\nz\nb\n');
  assert.equal(edit('a\nb\n', replace(1, 2, 'B'), insert(1, 'x'), remove(0, 1)), 'x\nB\n');
});

test('[LN6] what is out of range, backwards or overlapping is refused', () => {
  assert.deepEqual(refusal('a\nb\n', insert(3, 'x')), {
    reason: 'line-out-of-range',
    line: 3,
    line_count: 2,
  });
  assert.equal(refusal('', remove(0, 1)).reason, 'line-out-of-range');
  assert.equal(refusal('a', remove(-1, 1)).reason, 'line-out-of-range');
  assert.equal(refusal('a', insert(0.5, 'x')).reason, 'line-out-of-range');
  assert.equal(refusal('a', insert(Number.NaN, 'x')).reason, 'line-out-of-range');
  assert.deepEqual(refusal('a\nb\n', remove(2, 1)), {
    reason: 'invalid-params',
    problems: [
      {
        path: ['operations', 0, 'end_line'],
        problem: 'is exclusive, so it must be at least start_line, which is 2',
      },
    ],
  });
  for (const [first, second] of [
    [remove(0, 2), replace(1, 3, 'x')],
    [remove(0, 2), insert(1, 'x')],
    [insert(1, 'x'), remove(0, 2)],
    [remove(0, 3), remove(1, 2)],
    [remove(1, 2), remove(1, 2)],
  ] satisfies [LineOperation, LineOperation][]) {
    const { reason, ...rest } = refusal('a\nb\nc\n', first, second);
    assert.equal(reason, 'batch-failed');
    assert.ok('refusal' in rest && rest.refusal.reason === 'invalid-params' && rest.op_index === 1);
  }
});

test('[LN7] a batch fails as a whole and names its operation; a single refusal stands alone', () => {
  assert.deepEqual(refusal('a\n', insert(0, 'x'), insert(7, 'y'), insert(8, 'z')), {
    reason: 'batch-failed',
    op_index: 1,
    operations: 3,
    refusal: {
      reason: 'line-out-of-range',
      line: 7,
      line_count: 1,
    },
  });
  assert.equal(refusal('a\n', insert(7, 'y')).reason, 'line-out-of-range');
  assert.deepEqual(planLineEdits('a\n', []), { ok: true, splices: [] });
});

test('[LN8] expected_text matches exactly, by lines, and with or without its last break', () => {
  const crlf = 'a\r\nb\r\nc';
  for (const expected of ['a\r\nb\r\n', 'a\nb\n', 'a\nb', 'a\r\nb', 'a\r\nb\n']) {
    assert.equal(edit(crlf, expecting(0, 2, expected)), 'c');
  }
  assert.equal(edit('a\nb\n', expecting(0, 1, 'a\r\n')), 'b\n');
  for (const expected of ['c', 'c\n', 'c\r\n']) assert.equal(edit(crlf, expecting(2, 3, expected)), 'a\r\nb');
  assert.equal(edit('a\n\nb\n', expecting(0, 2, 'a\n')), 'b\n');
  assert.equal(edit('\nb\n', expecting(0, 1, '')), 'b\n');
  assert.equal(edit('a\n', expecting(1, 1, '')), 'a\n');
});

test('[LN8] [LN15] any other expected_text is refused with what is there', () => {
  assert.deepEqual(refusal('a\r\nb\r\nc', expecting(0, 2, 'a\nB')), {
    reason: 'text-mismatch',
    expected: 'a\nB',
    actual: 'a\r\nb\r\n',
    start_line: 0,
    end_line: 2,
  });
  for (const expected of ['a\n\n', ' a', 'a ', 'A', '', '\na', 'a\r']) {
    assert.equal(refusal('a\nb\n', expecting(0, 1, expected)).reason, 'text-mismatch', JSON.stringify(expected));
  }
  assert.equal(refusal('a\n', expecting(1, 1, '\n')).reason, 'text-mismatch');
  assert.equal(refusal('a', expecting(0, 1, 'a\n\n')).reason, 'text-mismatch');
});

test('[LN9] content is lines, whether or not the last one has its break', () => {
  for (const content of ['x', 'x\n', 'x\r\n']) {
    assert.equal(edit('a\nb\n', insert(1, content)), 'a\nx\nb\n');
    assert.equal(edit('a\nb', replace(1, 2, content)), 'a\nx');
  }
  assert.equal(edit('a\nb\n', insert(1, '\n')), 'a\n\nb\n');
  assert.equal(edit('a\nb\n', insert(1, 'x\n\n')), 'a\nx\n\nb\n');
  assert.equal(edit('a\nb\n', insert(1, '')), 'a\nb\n');
  assert.equal(edit('a\nb\n', replace(0, 1, '')), 'b\n');
});

test('[LN10] inserted lines end like their neighbours', () => {
  assert.equal(edit('a\r\nb\r\n', insert(1, 'x\ny')), 'a\r\nx\r\ny\r\nb\r\n');
  assert.equal(edit('a\r\nb\r\n', insert(0, 'x\n')), 'x\r\na\r\nb\r\n');
  assert.equal(edit('a\nb\n', insert(2, 'x\r\ny\r\n')), 'a\nb\nx\ny\n');
  assert.equal(edit('a\r\nb\nc\r\n', insert(1, 'x')), 'a\r\nx\r\nb\nc\r\n');
  assert.equal(edit('a\r\nb\nc\r\n', insert(2, 'x')), 'a\r\nb\nx\nc\r\n');
  assert.equal(edit('a\r\nb', insert(2, 'x\ny')), 'a\r\nb\r\nx\r\ny');
});

test('[LN11] a line in the place of another ends like that one', () => {
  const mixed = 'a\r\nb\nc\r\nd';
  assert.equal(edit(mixed, replace(0, 2, 'x\ny\nz')), 'x\r\ny\nz\nc\r\nd');
  assert.equal(edit(mixed, replace(1, 4, 'x\ny\nz\n')), 'a\r\nx\ny\r\nz');
  assert.equal(edit(mixed, replace(3, 4, 'x\ny')), 'a\r\nb\nc\r\nx\r\ny');
  assert.equal(edit(mixed, replace(0, 4, 'x')), 'x');
});

test('[LN11] lines replaced by themselves are the same, read either way', () => {
  fc.assert(
    fc.property(anyLines, fc.nat(7), fc.nat(7), fc.boolean(), (text, first, second, plain) => {
      const count = lineCount(text);
      const start = Math.min(first % (count + 1), second % (count + 1));
      const end = Math.max(first % (count + 1), second % (count + 1));
      const raw = (text.match(/[^\n]*\n|[^\n]+/g) ?? []).slice(start, end).join('');
      // Written with \n, a line that ends in \r\r\n looks like one that ends in \r\n.
      fc.pre(!plain || !raw.includes('\r\r\n'));
      assert.equal(edit(text, replace(start, end, plain ? raw.replaceAll('\r\n', '\n') : raw)), text);
    }),
    { examples: [['a\r\nb\nc', 0, 3, true]] },
  );
});

test('[LN12] a missing final break stays missing, and a present one present', () => {
  assert.equal(edit('a\nb', insert(2, 'x\n')), 'a\nb\nx');
  assert.equal(edit('a\nb', insert(2, 'x'), insert(2, 'y\n')), 'a\nb\nx\ny');
  assert.equal(edit('a\nb', replace(1, 2, 'x\n'), insert(2, 'y')), 'a\nx\ny');
  assert.equal(edit('a\nb', remove(1, 2)), 'a');
  assert.equal(edit('a\r\nb', remove(1, 2)), 'a');
  assert.equal(edit('a\nb\n', remove(1, 2)), 'a\n');
  assert.equal(edit('a\nb', remove(0, 1), remove(1, 2)), '');
  assert.equal(edit('z\na\nb', remove(1, 2), remove(2, 3)), 'z');
  assert.equal(edit('a\nb', replace(0, 1, 'X'), remove(1, 2)), 'X');
  assert.equal(edit('a\nb', insert(1, 'X'), remove(1, 2)), 'a\nX');
  assert.equal(edit('p\r\na\nb', remove(1, 3), insert(3, 'x')), 'p\r\nx');
  assert.equal(edit('a', remove(0, 1), insert(1, 'x\n')), 'x');
  assert.equal(edit('a\n', remove(0, 1), insert(1, 'x')), 'x\n');
});

test('[LN12] an empty last line keeps the break that makes it a line', () => {
  assert.equal(edit('a', insert(1, '\n')), 'a\n\n');
  assert.equal(edit('a\nb', replace(1, 2, '\n')), 'a\n\n');
  assert.equal(edit('a\n\nb', remove(2, 3)), 'a\n\n');
  assert.equal(edit('\r\nb', remove(1, 2)), '\r\n');
  assert.equal(edit('a', replace(0, 1, '\n')), '\n');
});

test('[LN12] a batch adds and takes as many lines as it says', () => {
  const anyCase = anyLines.chain((text) => fc.tuple(fc.constant(text), anyOperations(text, lineCount(text), anyLines)));
  fc.assert(
    fc.property(anyCase, ([text, operations]) => {
      const plan = planLineEdits(text, operations);
      if (!plan.ok) return;
      let count = lineCount(text);
      for (const operation of operations) {
        if (operation.op !== 'delete') count += lineCount(operation.content);
        if (operation.op !== 'insert') count -= operation.end_line - operation.start_line;
      }
      assert.equal(lineCount(spliceText(text, plan.splices)), count);
    }),
    { numRuns: 1000 },
  );
});

test('[LN13] a text without breaks takes those of the content; an empty one takes the content as it is', () => {
  assert.equal(edit('', insert(0, 'x')), 'x');
  assert.equal(edit('', insert(0, 'x\r\ny\n')), 'x\r\ny\n');
  assert.equal(edit('', replace(0, 0, 'x\r\ny')), 'x\r\ny');
  assert.equal(edit('', insert(0, 'x'), insert(0, 'y\n')), 'x\ny\n');
  assert.equal(edit('', insert(0, 'x\r\n'), insert(0, 'y')), 'x\r\ny');
  assert.equal(edit('a', insert(1, 'x\r\ny')), 'a\r\nx\r\ny');
  assert.equal(edit('a', insert(1, 'x')), 'a\nx');
  assert.equal(edit('a', insert(0, 'x\r\n')), 'x\r\na');
  assert.equal(edit('a\r', insert(1, 'x')), 'a\r\nx');
});

test('[LN14] 10,000 random batches do what the reference does', () => {
  const seen = new Map<string, number>();
  const count = (name: string): void => void seen.set(name, (seen.get(name) ?? 0) + 1);
  const anyCase = anyLines.chain((text) => fc.tuple(fc.constant(text), anyOperations(text, lineCount(text), anyLines)));
  fc.assert(
    fc.property(anyCase, ([text, operations]) => {
      const plan = planLineEdits(text, operations);
      const verdict = judgeLineEdits(text, operations);
      if (plan.ok) {
        count(operations.some((operation) => 'expected_text' in operation) ? 'applied as expected' : 'applied');
        assert.deepEqual({ text: spliceText(text, plan.splices) }, verdict);
        return;
      }
      const failure = plan.refusal.reason === 'batch-failed' ? plan.refusal : { op_index: 0, refusal: plan.refusal };
      assert.equal(plan.refusal.reason === 'batch-failed', operations.length > 1);
      count(failure.refusal.reason);
      assert.ok('reason' in verdict);
      assert.equal(failure.refusal.reason, verdict.reason);
      assert.ok(verdict.indexes.includes(failure.op_index));
    }),
    { numRuns: 10_000 },
  );
  for (const name of ['applied', 'applied as expected', 'line-out-of-range', 'text-mismatch', 'invalid-params']) {
    assert.ok((seen.get(name) ?? 0) > 300, `${name}: ${JSON.stringify([...seen])}`);
  }
});

test('[LN16] splices are in order, do not overlap, and leave other lines alone', () => {
  const anyCase = anyLines.chain((text) => fc.tuple(fc.constant(text), anyOperations(text, lineCount(text), anyLines)));
  fc.assert(
    fc.property(anyCase, ([text, operations]) => {
      const plan = planLineEdits(text, operations);
      if (!plan.ok) return;
      let end = 0;
      for (const splice of plan.splices) {
        assert.ok(splice.at >= end, JSON.stringify(plan.splices));
        assert.ok(splice.delete > 0 || splice.insert !== '');
        end = splice.at + splice.delete;
      }
      assert.ok(end <= text.length);
      for (const [from, to] of keptBodies(text, operations)) {
        for (const { at, delete: count } of plan.splices) assert.ok(at >= to || at + count <= from);
      }
    }),
    { numRuns: 1000 },
  );
  assert.deepEqual(planLineEdits('a\r\nb\r\nc', [replace(1, 2, 'x'), insert(3, 'y')]), {
    ok: true,
    splices: [
      { at: 3, delete: 3, insert: 'x\r\n' },
      { at: 7, delete: 0, insert: '\r\ny' },
    ],
  });
});

/** Returns the places of the lines that no operation addresses, without their breaks. */
function keptBodies(text: string, operations: readonly LineOperation[]): [number, number][] {
  let at = 0;
  return (text.match(/[^\n]*\n|[^\n]+/g) ?? []).flatMap((line, index): [number, number][] => {
    const from = at;
    at += line.length;
    const isAddressed = operations.some(
      (operation) => operation.op !== 'insert' && operation.start_line <= index && index < operation.end_line,
    );
    return isAddressed ? [] : [[from, from + line.replace(/\r?\n$/, '').length]];
  });
}
