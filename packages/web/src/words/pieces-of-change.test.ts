import assert from 'node:assert/strict';
import { test } from 'node:test';
import { piecesOfChange } from './pieces-of-change.ts';

const shown = (before: string, after: string): string =>
  piecesOfChange(before, after)
    .map(({ text, is }) => (is === 'same' ? text : is === 'added' ? `{+${text}+}` : `{-${text}-}`))
    .join('');

test('[WB631] a change is shown in its place, with what it took away', () => {
  assert.equal(shown('', 'new'), '{+new+}');
  assert.equal(shown('one two', 'one two'), 'one two');
  assert.equal(shown('one two three', 'one 2 three'), 'one {-two-}{+2+} three');
  assert.equal(shown('one', ''), '{-one-}');
});

test('[WB631] the pieces of a change make both texts, whatever they are', () => {
  const words = ['tide', ' ', 'wave', '\n', '- ', 'low', '  ', '.', 'é', '😀'];
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
  const text = (): string => Array.from({ length: next(12) }, () => words[next(words.length)] ?? '').join('');
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [text(), text()];
    const pieces = piecesOfChange(before, after);
    const made = (is: 'added' | 'deleted'): string =>
      pieces.flatMap((piece) => (piece.is === 'same' || piece.is === is ? [piece.text] : [])).join('');
    assert.deepEqual([made('deleted'), made('added')], [before, after]);
  }
});
