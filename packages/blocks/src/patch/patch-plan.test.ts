import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyLines } from '../lines/testing/arbitraries.ts';
import { spliceText } from '../text/text-splice.ts';
import { diffTexts, formatDiff } from './unified-diff.ts';
import { planPatch } from './patch-plan.ts';

/** The text after the patch; a refusal fails the test. */
function apply(text: string, patch: string): string {
  const plan = planPatch(text, patch);
  assert.ok(plan.ok, plan.ok ? '' : plan.errors.join('\n'));
  return spliceText(text, plan.splices);
}

function errorsOf(text: string, patch: string): string[] {
  const plan = planPatch(text, patch);
  assert.ok(!plan.ok, 'the patch was applied');
  return plan.errors;
}

function offsetsOf(text: string, patch: string): number[] | undefined {
  const plan = planPatch(text, patch);
  return plan.ok ? plan.offsets : undefined;
}

/** One hunk and its header, from lines with their marks. */
function hunk(start: number, ...lines: string[]): string {
  const body = lines.filter((line) => !line.startsWith('\\'));
  const old = body.filter((line) => !line.startsWith('+')).length;
  const updated = body.filter((line) => !line.startsWith('-')).length;
  return [`@@ -${start},${old} +${start},${updated} @@`, ...lines, ''].join('\n');
}

const unended = '\\ No newline at end of file';
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

test('[PT1] the diff of two texts makes one into the other', () => {
  fc.assert(
    fc.property(anyLines, anyLines, (before, after) => {
      fc.pre(before !== after);
      const patch = formatDiff('old', 'new', diffTexts(before, after)) ?? '';
      const plan = planPatch(before, patch);
      assert.ok(plan.ok, patch);
      assert.equal(spliceText(before, plan.splices), after);
      assert.ok(plan.offsets.every((offset) => offset === 0));
    }),
    { numRuns: 1000 },
  );
});

test('[PT2] a hunk is found where it fits, as far as the one before was displaced or nearest to there', () => {
  const patch = hunk(2, ' a', '-b', '+B', ' c') + hunk(6, ' e', '-f', '+F', ' g');
  assert.equal(apply('0\n1\n0\na\nb\nc\n9\ne\nf\ng\n', patch), '0\n1\n0\na\nB\nc\n9\ne\nF\ng\n');
  assert.deepEqual(offsetsOf('0\n1\n0\na\nb\nc\n9\ne\nf\ng\n', patch), [2, 2]);
  assert.deepEqual(offsetsOf('a\nb\nc\n1\n2\n3\n4\n5\ne\nf\ng\n', patch), [-1, 3]);
  // Equally near before and behind: the later one, as GNU patch does.
  assert.equal(apply('a\nb\nc\n0\na\nb\nc\n', hunk(3, ' a', '-b', '+B', ' c')), 'a\nb\nc\n0\na\nB\nc\n');
  assert.equal(errorsOf('0\na\nb\nC\n', hunk(2, ' a', '-b', '+B', ' c')).length, 1);
});

test('[PT3] what ends a file is applied only at its end, what begins it only at its beginning', () => {
  const atEnd = hunk(2, ' b', ' c', '+d');
  assert.equal(apply('0\na\nb\nc\n', atEnd), '0\na\nb\nc\nd\n');
  assert.match(errorsOf('a\nb\nc\nx\n', atEnd).join(), /as many lines of context after as before$/);
  const atBeginning = hunk(1, '+z', ' a', ' b');
  assert.equal(apply('a\nb\nc\n', atBeginning), 'z\na\nb\nc\n');
  assert.match(errorsOf('x\na\nb\n', atBeginning).join(), /belongs to the beginning of the text/);
});

test('[PT4] a hunk without context is not displaced', () => {
  assert.equal(apply('a\nb\nc\n', '@@ -2 +2 @@\n-b\n+B\n'), 'a\nB\nc\n');
  assert.equal(apply('a\nb\n', '@@ -1,0 +2,2 @@\n+x\n+y\n'), 'a\nx\ny\nb\n');
  assert.equal(apply('a\nb\n', '@@ -0,0 +1 @@\n+x\n'), 'x\na\nb\n');
  assert.equal(apply('a\nb\n', '@@ -2,0 +3 @@\n+x\n'), 'a\nb\nx\n');
  assert.match(errorsOf('x\na\nb\n', '@@ -2 +2 @@\n-b\n+B\n').join(), /only exactly where it says/);
  assert.match(errorsOf('a\n', '@@ -5,0 +6 @@\n+x\n').join(), /the text has only 1 line/);
  const behindDisplaced = hunk(1, ' a', '-b', ' c') + '@@ -5 +3,0 @@\n-e\n';
  assert.match(errorsOf('0\na\nb\nc\n1\ne\n', behindDisplaced).join(), /^hunk 2 of 2 .* displaced by 1 line;/);
});

test('[PT5] hunks do not share lines, not even context', () => {
  const patch = hunk(1, ' a', '-b', '+B', ' c') + hunk(4, ' c', '-d', '+D', ' e');
  assert.equal(apply('a\nb\nc\nc\nd\ne\n', patch), 'a\nB\nc\nc\nD\ne\n');
  assert.match(errorsOf('a\nb\nc\nd\ne\n', patch).join(), /^hunk 2 of 2 fits only at line 3 .* join the two hunks$/);
  // The second hunk would fit before the first.
  const swapped = hunk(1, ' a', '-b', ' c') + hunk(5, ' x', '-y', ' z');
  assert.match(errorsOf('x\ny\nz\na\nb\nc\n', swapped).join(), /^hunk 2 of 2 fits nowhere/);
});

test('[PT6] every hunk that does not fit has its error, and nothing is applied', () => {
  const patch = hunk(1, ' a', '-b', ' c') + hunk(5, ' e', '-f', ' g') + hunk(9, ' i', '-j', ' k');
  assert.deepEqual(errorsOf('A\nb\nc\nd\ne\nf\ng\nh\ni\nj\n', patch), [
    'hunk 1 of 3 fits nowhere: line 1, counted from 1, is "A\\n" and not "a\\n"; read the block again and make the patch from its present text',
    'hunk 3 of 3 fits nowhere: the text has 10 lines, but line 11 is to be "k\\n"; read the block again and make the patch from its present text',
  ]);
});

test('[PT7] the end of the file counts on both sides', () => {
  const last = hunk(1, ' a', '-b', unended, '+c', unended);
  assert.equal(apply('a\nb', last), 'a\nc');
  assert.match(errorsOf('a\nb\n', last).join(), /"b\\n" and not "b": the end of a file is marked with/);
  assert.match(errorsOf('a\nb', hunk(1, ' a', '-b', '+c')).join(), /"b" and not "b\\n": the end of a file is marked/);
  assert.equal(apply('a\nb', hunk(1, ' a', '-b', unended, '+b')), 'a\nb\n');
  assert.equal(apply('a\nb\n', hunk(1, ' a', '-b', '+b', unended)), 'a\nb');
  assert.equal(apply('a\nb', hunk(1, '-a', '+A', ' b', unended)), 'A\nb');
  // The new side would run into the lines behind.
  assert.match(errorsOf('a\nb\n', '@@ -1 +1 @@\n-a\n+x\n\\ No newline at end of file\n').join(), /goes on after it/);
  assert.match(errorsOf('a\nb', '@@ -2,0 +3 @@\n+c\n').join(), /a last line that has no newline/);
});

test('[PT8] lines count as written, carriage returns included', () => {
  assert.equal(apply('a\r\nb\r\nc\r\n', hunk(1, ' a\r', '-b\r', '+B\r', ' c\r')), 'a\r\nB\r\nc\r\n');
  assert.equal(apply('a\r\nb\r\nc\r\n', hunk(1, ' a\r', '-b\r', '+b', ' c\r')), 'a\r\nb\nc\r\n');
  assert.equal(apply('a\nb\r\nc\n', hunk(1, ' a', '-b\r', '+B\r', ' c')), 'a\nB\r\nc\n');
  assert.match(errorsOf('a\nb\nc\n', hunk(1, ' a\r', '-b\r', '+B\r', ' c\r')).join(), /is "a\\n" and not "a\\r\\n"/);
});

test('[PT9] a patch that came with CRLF throughout is read without', () => {
  const patch = `--- a/x\n+++ b/x\n${hunk(1, ' a', '-b', '+B', ' c')}`;
  assert.equal(apply('a\nb\nc\n', crlf(patch)), 'a\nB\nc\n');
  assert.equal(apply('a\r\nb\r\nc\r\n', crlf(patch)), 'a\r\nB\r\nc\r\n');
  assert.equal(apply('', crlf('--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n')), 'x\n');
  assert.equal(apply('a\r\n', crlf('@@ -1,0 +2 @@\n+x\n')), 'a\r\nx\r\n');
  assert.equal(apply('a\r\nb', crlf(hunk(1, ' a', '-b', unended, '+B', unended))), 'a\r\nB');
  // The file's own carriage returns are then doubled.
  assert.equal(apply('a\r\nb\r\nc\r\n', crlf(hunk(1, ' a\r', '-b\r', '+b', ' c\r'))), 'a\r\nb\nc\r\n');
  assert.match(errorsOf('a\nb\r\nc\n', crlf(patch)).join(), /is "b\\r\\n" and not "b\\n"/);
});

test('[PT10] a patch that lost its carriage returns fits a text that has them everywhere', () => {
  const patch = hunk(1, ' a', '-b', '+B', '+B2', ' c');
  assert.equal(apply('a\r\nb\r\nc\r\n', patch), 'a\r\nB\r\nB2\r\nc\r\n');
  assert.equal(apply('0\r\na\r\nb\r\nc\r\n', patch), '0\r\na\r\nB\r\nB2\r\nc\r\n');
  assert.equal(apply('a\r\nb', hunk(1, '-a', '+A', ' b', unended)), 'A\r\nb');
  for (const mixed of ['a\r\nb\nc\r\n', 'a\r\nb\r\nc\r\nd\n']) assert.equal(errorsOf(mixed, patch).length, 1);
  // Nothing in it contradicts the patch as it is written.
  assert.equal(apply('a\r\n', '@@ -1,0 +2 @@\n+x\n'), 'a\r\nx\n');
});

test('[PT12] creation needs an empty text, deletion leaves one', () => {
  const creation = '--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n';
  assert.equal(apply('', creation), 'a\nb\n');
  assert.match(errorsOf('c\n', creation).join(), /creates a file, but the block has text; send/);
  const deletion = '--- a/x\t2020-01-01\n+++ /dev/null\t1970-01-01\n@@ -1,2 +0,0 @@\n-a\n-b\n';
  assert.equal(apply('a\nb\n', deletion), '');
  assert.match(errorsOf('a\nb\nc\n', deletion).join(), /more text than it removes; send/);
  assert.equal(apply('', '--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n'), 'a');
});

test('[PT18] kept lines are not touched', () => {
  const patch = hunk(1, ' a', '-b', '+B', ' c', '+d', ' e', '-f', ' g');
  assert.deepEqual(planPatch('a\nb\nc\ne\nf\ng\n', patch), {
    ok: true,
    offsets: [0],
    splices: [
      { at: 2, delete: 2, insert: 'B\n' },
      { at: 6, delete: 0, insert: 'd\n' },
      { at: 8, delete: 2, insert: '' },
    ],
  });
});
