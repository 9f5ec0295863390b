import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeSet, Text } from '@codemirror/state';
import type { ChangeSpec } from '@codemirror/state';
import { spliceText } from '@loom/blocks';
import { splicesOf } from './text-binding.ts';

/** The splices of changes in a text, and the text that both make. */
function made(before: string, specs: ChangeSpec): { splices: unknown; text: string; shown: string } {
  const doc = Text.of(before.split('\n'));
  const changes = ChangeSet.of(specs, before.length, '\n');
  const { splices, repairs } = splicesOf(changes, doc);
  const shown = changes.apply(doc);
  return {
    splices,
    text: spliceText(before, splices),
    shown: ChangeSet.of(repairs, shown.length, '\n').apply(shown).toString(),
  };
}

test('[WB511] what an editor changes becomes splices of the text before', () => {
  const { splices, text, shown } = made('one\r\ntwo\nthree', [
    { from: 0, to: 3, insert: '1' },
    { from: 9, insert: '\r\n2½' },
  ]);
  assert.deepEqual(splices, [
    { at: 0, delete: 3, insert: '1' },
    { at: 9, delete: 0, insert: '\r\n2½' },
  ]);
  assert.equal(text, shown);
});

test('[WB511] half of a surrogate pair that is replaced takes the other half along', () => {
  // Input methods replace the part that differs: both faces begin with the same half.
  const second = made('a😀b', { from: 2, to: 3, insert: '😁'.slice(1) });
  assert.deepEqual(second.splices, [{ at: 1, delete: 2, insert: '😁' }]);
  assert.equal(second.text, 'a😁b');
  const first = made('a😀b', { from: 1, to: 2, insert: '🤠'.slice(0, 1) });
  assert.equal(first.text, first.shown);
  assert.ok(first.text.isWellFormed());
});

test('[WB511] characters that no store can hold are replaced in the text and in the editor', () => {
  const { text, shown } = made('ab', { from: 1, insert: `x\0${'😀'.slice(0, 1)}y` });
  assert.equal(text, 'ax\uFFFD\uFFFDyb');
  assert.equal(shown, text);
});
