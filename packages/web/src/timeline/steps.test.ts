import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../conversation/rows.ts';
import { holdsBlock, stepTo } from './steps.ts';

const block = (node: string, id: string): Row => ({ kind: 'block', key: id, node, block: id, type: 'text' });
const rows: Row[] = [
  { kind: 'header', key: 'h1', node: 'ask' },
  block('ask', 'b1'),
  { kind: 'header', key: 'h2', node: 'answer' },
  block('answer', 'b2'),
  {
    kind: 'tool',
    key: 'b3',
    node: 'answer',
    block: 'b3',
    result: undefined,
    tool: 'other',
    name: 'look',
    isFoldable: false,
  },
  { kind: 'fork', key: 'f', node: 'answer', next: 'more' },
  { kind: 'header', key: 'h3', node: 'more' },
  block('more', 'b4'),
];
const all = { isStop: () => true, from: undefined };
const persons = { isStop: ({ node }: Row) => node !== 'answer', from: undefined };

test('[WB52] the current block moves from block to block, over headers and notes, and stays at the ends', () => {
  assert.equal(stepTo(rows, 'b1', { ...all, step: 1 })?.block, 'b2');
  assert.equal(stepTo(rows, 'b3', { ...all, step: 1 })?.block, 'b4');
  assert.equal(stepTo(rows, 'b2', { ...all, step: -1 })?.block, 'b1');
  assert.equal(stepTo(rows, 'b4', { ...all, step: 1 }), undefined);
  assert.deepEqual(stepTo(rows, 'b1', { ...persons, step: 1 }), { block: 'b4', node: 'more' });
});

test('[WB52] while nothing is current, or what was is gone, the first block in sight is', () => {
  assert.equal(stepTo(rows, undefined, { ...all, from: 'b3', step: 1 })?.block, 'b3');
  assert.equal(stepTo(rows, 'gone', { ...all, from: 'b2', step: -1 })?.block, 'b2');
  assert.equal(stepTo(rows, undefined, { ...all, step: 1 })?.block, 'b1');
  assert.equal(stepTo([], undefined, { ...all, step: 1 }), undefined);
});

test('[IM44] every block of a notice is in its one row', () => {
  const row: Row = { kind: 'notice', key: 'n', node: 'r/2', block: 'b1' };
  assert.deepEqual(
    [holdsBlock(row, 'b1'), holdsBlock(row, 'b2', 'r/2'), holdsBlock(row, 'b2', 'r/3'), holdsBlock(row, 'b2')],
    [true, true, false, false],
  );
});
