import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorState } from '@codemirror/state';
import type { TransactionSpec } from '@codemirror/state';
import { caretsAfter } from './carets-of-others.ts';
import type { CaretOfOther } from './carets-of-others.ts';
import { fromText } from './text-binding.ts';

const caret = (agent: string, anchor: number, head = anchor): CaretOfOther => ({
  agent,
  anchor,
  head,
  isTold: true,
  moves: 1,
});

function after(carets: readonly CaretOfOther[], spec: TransactionSpec): (string | number)[][] {
  const transaction = EditorState.create({ doc: 'one\ntwo\nthree' }).update(spec);
  return caretsAfter(carets, transaction).map(({ agent, anchor, head, moves }) => [agent, anchor, head, moves]);
}

test('[WB626] carets of others move with the text, and the one who wrote stands behind what was written', () => {
  const carets = [caret('jo', 4, 7), caret('ann', 0)];
  assert.deepEqual(after(carets, { changes: { from: 0, insert: '>> ' } }), [
    ['jo', 7, 10, 1],
    ['ann', 3, 3, 1],
  ]);
  const by = (agent: string): ReturnType<typeof fromText.of> => fromText.of({ agent, isHere: false });
  assert.deepEqual(after(carets, { changes: { from: 13, insert: '!' }, annotations: by('claude') }), [
    ['jo', 4, 7, 1],
    ['ann', 0, 0, 1],
    ['claude', 14, 14, 1],
  ]);
  // Whole lines were written: their author stands before the break that ends them.
  assert.deepEqual(after(carets, { changes: { from: 4, to: 8, insert: '2\n' }, annotations: by('jo') }), [
    ['ann', 0, 0, 1],
    ['jo', 5, 5, 2],
  ]);
  // A change that several may have made moves no caret to its place.
  const unknown = fromText.of({ isHere: false });
  assert.deepEqual(after([caret('jo', 4)], { changes: { from: 13, insert: '!' }, annotations: unknown }), [
    ['jo', 4, 4, 1],
  ]);
});
