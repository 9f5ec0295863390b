import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { structuredPatch } from 'diff';
import { hunksFit } from './hunks.ts';
import { parseNumberedDiff } from './numbered-diff.ts';

test('[VW31] the numbered lines of pi are hunks, with three kept lines around each change and gaps between them', () => {
  const diff = ['  1 a', '- 2 b', '+ 2 B', '+ 3 C', '  3 d', '    ...', ' 20 x', '-21 y', ' 22 '].join('\n');
  assert.deepEqual(parseNumberedDiff(diff), [
    { oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: [' a', '-b', '+B', '+C', ' d'] },
    { oldStart: 20, oldLines: 3, newStart: 21, newLines: 2, lines: [' x', '-y', ' '] },
  ]);
  const far = [...Array.from({ length: 9 }, (_, index) => ` ${index + 1} k`), '-10 l', '+10 L'].join('\n');
  assert.deepEqual(parseNumberedDiff(far)?.[0]?.oldStart, 7);
});

test('[VW31] older versions of pi count the lines behind a gap from 1: the change tells their numbers', () => {
  const diff = ['    ...', '  1 a', '  2 b', '-32 c', '+32 C', ' 33 d'].join('\n');
  const lines = [' a', ' b', '-c', '+C', ' d'];
  assert.deepEqual(parseNumberedDiff(diff), [{ oldStart: 30, oldLines: 4, newStart: 30, newLines: 4, lines }]);
});

test('[VW31] numbers that do not fit together, other text and a diff without a change are no hunks', () => {
  for (const diff of ['', ' 1 a', '-1 a\n 5 b', '@@ -1 +1 @@\n-a\n+b', '-a', '+1']) {
    assert.equal(parseNumberedDiff(diff), undefined, diff);
  }
});

test('[VW31] what pi shows of any two texts fits the first of them', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c d'), { maxLength: 30 });
  fc.assert(
    fc.property(text, text, fc.nat({ max: 8 }), (original, updated, context) => {
      const [before, after] = [
        original.map((line) => `${line}\n`).join(''),
        updated.map((line) => `${line}\n`).join(''),
      ];
      const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context });
      const shown = hunks.flatMap(({ oldStart, newStart, lines }) => ['   ...', ...number(oldStart, newStart, lines)]);
      const read = parseNumberedDiff(shown.join('\n'));
      assert.equal(read === undefined, hunks.length === 0);
      assert.ok(hunksFit(before, read ?? []));
    }),
    { numRuns: 200 },
  );
});

function number(oldStart: number, newStart: number, lines: readonly string[]): string[] {
  let [old, fresh] = [oldStart, newStart];
  return lines.map((line) => {
    const shown = line.startsWith('+') ? fresh : old;
    if (!line.startsWith('+')) old += 1;
    if (!line.startsWith('-')) fresh += 1;
    return `${line.charAt(0)}${String(shown).padStart(3)} ${line.slice(1)}`;
  });
}
