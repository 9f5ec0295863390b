import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch, parsePatch, structuredPatch } from 'diff';
import * as fc from 'fast-check';
import type { ToolBlock } from '../../content-block.ts';
import { viewsOfItem } from '../item.ts';
import { viewsOfToolCall, viewsOfToolResult } from '../tool-views.ts';

// Lines that look like parts of a diff, line endings of both kinds, and often no newline at the end.
const line = fc.tuple(
  fc.constantFrom(
    'a',
    'b',
    'c',
    '',
    ' ',
    '\t',
    '-',
    '+',
    '\\',
    '@@ -1 +1 @@',
    '--- x',
    '+++ y',
    '\\ No newline at end of file',
    '\u2028',
    'x\ry',
    '🧵',
  ),
  fc.constantFrom('\n', '\n', '\r\n'),
);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', '', 'end', '\r', '-'))
  .map(([lines, end]) => lines.map(([content, ending]) => content + ending).join('') + end);
/** Two texts of which the second is made from the first by replacing a piece; no character is torn apart. */
const edited = fc.tuple(text, fc.nat(), fc.nat(), text).map(([original, from, length, replacement]) => {
  const characters = Array.from(original);
  const start = characters.length === 0 ? 0 : from % characters.length;
  const end = start + (length % 20);
  const [before, passage, after] = [
    characters.slice(0, start),
    characters.slice(start, end),
    characters.slice(end),
  ].map((piece) => piece.join(''));
  return { original, passage: passage ?? '', replacement, updated: `${before}${replacement}${after}` };
});
const pair = fc.oneof(edited, fc.record({ original: text, updated: text }));

test('[VW30] the diff of a written file makes the new text out of the original', () => {
  fc.assert(
    fc.property(pair, ({ original, updated }) => {
      const native = { type: 'update', filePath: 'f', originalFile: original, content: updated, structuredPatch: [] };
      assertMakes(original, updated, viewsOfToolResult({ name: 'Write', parameters: {} }, { native }));
    }),
    { numRuns: 1000 },
  );
});

test('[VW30] the diff of an edit makes the new text out of the original, once and everywhere', () => {
  fc.assert(
    fc.property(edited, fc.boolean(), ({ original, passage, replacement }, everywhere) => {
      fc.pre(passage !== '');
      const updated = everywhere
        ? original.split(passage).join(replacement)
        : original.replace(passage, () => replacement);
      const parameters = { file_path: 'f', old_string: passage, new_string: replacement, replace_all: everywhere };
      assertMakes(
        original,
        updated,
        viewsOfToolResult({ name: 'Edit', parameters }, { native: { originalFile: original } }),
      );
    }),
    { numRuns: 1000 },
  );
});

test('[VW30][VW31] hunks that the agent reports make the new text out of the original', () => {
  fc.assert(
    fc.property(pair, fc.integer({ min: 0, max: 4 }), ({ original, updated }, context) => {
      const { hunks } = structuredPatch('f', 'f', original, updated, undefined, undefined, { context });
      const native = { filePath: 'f', originalFile: original, structuredPatch: hunks };
      // Without hunks the edit is unknown.
      fc.pre(hunks.length > 0);
      const blocks = viewsOfToolResult({ name: 'Edit', parameters: { file_path: 'f' } }, { native });
      assertMakes(original, updated, blocks);
    }),
    { numRuns: 1000 },
  );
});

test('[VW30][VW39] the diffs of new, deleted and ACP files make the one text out of the other', () => {
  fc.assert(
    fc.property(pair, ({ original, updated }) => {
      const content = [{ type: 'diff', path: 'f', oldText: original, newText: updated }];
      assertMakes(original, updated, viewsOfItem({ sessionUpdate: 'tool_call_update', content }));
      assertMakes('', updated, viewsOfItem({ type: 'FileChange', changes: { f: { type: 'add', content: updated } } }));
      assertMakes(
        original,
        '',
        viewsOfItem({ type: 'FileChange', changes: { f: { type: 'delete', content: original } } }),
      );
    }),
    { numRuns: 1000 },
  );
});

test('[VW30][VW35] without the original, the diff makes the new passages out of the old ones', () => {
  const passages = fc.array(fc.record({ old_string: text, new_string: text }), { minLength: 2, maxLength: 4 });
  const whole = (passage: string) => (passage === '' || passage.endsWith('\n') ? passage : `${passage}\n`);
  fc.assert(
    fc.property(passages, (edits) => {
      const blocks = viewsOfToolCall({ name: 'MultiEdit', parameters: { file_path: 'f', edits } });
      const [original, updated] = [
        edits.map((edit) => whole(edit.old_string)),
        edits.map((edit) => whole(edit.new_string)),
      ];
      assertMakes(original.join(''), updated.join(''), blocks);
    }),
    { numRuns: 1000 },
  );
});

test('[VW31] hunks that contradict themselves or the original are not used', () => {
  const originalFile = '\tone\n\ttwo\n';
  const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' \tone', '-\ttwo', '+\t2'] };
  const spaced = { ...hunk, lines: ['   one', '-  two', '+  2'] };
  const parameters = { file_path: 'f', old_string: 'two', new_string: '2' };
  for (const wrong of [spaced, { ...hunk, oldLines: 3 }, { ...hunk, lines: ['?'] }, { ...hunk, oldStart: 0 }]) {
    const native = { filePath: 'f', originalFile, structuredPatch: [wrong] };
    const blocks = viewsOfToolResult({ name: 'Edit', parameters }, { native });
    assertMakes(originalFile, '\tone\n\t2\n', blocks);
  }
  const unordered = [{ ...hunk, oldStart: 5, newStart: 5 }, hunk];
  const blocks = viewsOfToolResult(
    { name: 'Edit', parameters },
    { native: { filePath: 'f', structuredPatch: unordered } },
  );
  assert.deepEqual(blocks[0]?.metadata, { basis: 'parameters' });
});

test('[VW32] file names cannot break out of their line', () => {
  const path = 'a\n+++ b\t"c"\\\u0001ü';
  const [block] = viewsOfToolCall({ name: 'Write', parameters: { file_path: path, content: 'x\n' } });
  const change = block?.type === 'file-change' ? block.changes[0] : undefined;
  assert.equal(change?.path, path);
  assert.equal(change?.diff, '--- /dev/null\n+++ "a\\n+++ b\\t\\"c\\"\\\\\\001ü"\n@@ -0,0 +1,1 @@\n+x\n');
});

test('[VW32] a diff of several files, or one whose lines do not add up, is not passed on', () => {
  const whole = '--- a\n+++ a\n@@ -1,2 +1,2 @@ heading\n same\n-old\n+new\n';
  const read = (diff: string) => {
    const [block] = viewsOfItem({ type: 'file_change', changes: [{ path: 'a', kind: { type: 'update' }, diff }] });
    return block?.type === 'file-change' ? block.changes[0]?.diff : undefined;
  };
  assert.equal(read(whole), whole);
  assert.equal(read(`Index: a\n====\n${whole}\n\n`), whole);
  assert.equal(
    read('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n'),
    '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n',
  );
  assert.equal(read('@@ -1,2 +1,2 @@\n\n-a\n+b'), '--- a\n+++ a\n@@ -1,2 +1,2 @@\n \n-a\n+b\n');
  for (const wrong of [
    whole + whole,
    whole.replace('1,2 +', '1,3 +'),
    whole.replace(' same', '?same'),
    `${whole}more`,
    '',
    '@@ x @@\n',
    '@@ -1,0 +1,0 @@\n',
  ]) {
    assert.equal(read(wrong), undefined, JSON.stringify(wrong));
  }
  assert.equal(read('@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n'), undefined);
});

test('[VW32] changes far from each other are hunks of their own, with three lines around them', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => `${index}\n`);
  const [original, updated] = [numbers.join(''), numbers.with(4, 'x\n').with(15, 'y\n').join('')];
  const content = [{ type: 'diff', path: 'f', oldText: original, newText: updated }];
  const diff = assertMakes(original, updated, viewsOfItem({ sessionUpdate: 'tool_call_update', content }));
  assert.equal(
    diff,
    '--- f\n+++ f\n@@ -2,7 +2,7 @@\n 1\n 2\n 3\n-4\n+x\n 5\n 6\n 7\n@@ -13,7 +13,7 @@\n 12\n 13\n 14\n-15\n+y\n 16\n 17\n 18\n',
  );
});

test('[VW33] texts without a common line give one hunk; what surrounds them is kept as context', () => {
  const numbered = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
  const surround = (middle: string) => `1\n2\n3\n4\n5\n${middle}6\n7\n8\n9\n`;
  const [original, updated] = [surround(numbered('old', 3000)), surround(numbered('new', 2500))];
  const content = [{ type: 'diff', path: 'f', oldText: original, newText: updated }];
  const blocks = viewsOfItem({ sessionUpdate: 'tool_call_update', content });
  const diff = assertMakes(original, updated, blocks);
  assert.match(diff ?? '', /^--- f\n\+\+\+ f\n@@ -3,3006 \+3,2506 @@\n 3\n 4\n 5\n-old 0\n/);
  assert.equal(parsePatch(diff ?? '')[0]?.hunks.length, 1);
});

/** Checks that the one diff among the blocks turns the original into the new text, and returns it. */
function assertMakes(original: string, updated: string, blocks: readonly ToolBlock[]): string | undefined {
  const [block] = blocks;
  assert.ok(block?.type === 'file-change' && block.changes.length === 1);
  const diff = block.changes[0]?.diff;
  if (diff === undefined) assert.equal(updated, original);
  else assert.equal(applyPatch(original, diff, { autoConvertLineEndings: false }), updated, diff);
  return diff;
}
