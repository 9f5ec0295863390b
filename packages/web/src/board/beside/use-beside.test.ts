import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoardRow } from '../board.ts';
import { besideRows } from './use-beside.ts';

function row(root: string, id: string, minute: number): BoardRow {
  const time = `2026-11-19T00:0${minute}:00.000Z`;
  const turn = { root, id, turn: id, node: `${root}/1`, opening: 'Why?', provider: 'claude', model: 'opus' };
  return { ...turn, state: 'running', started_at: time, changed_at: time, last: {} };
}

test('[WB542] a question has one row for each conversation, that of the turn that began last, in the order of the conversations', () => {
  const rows = [row('b', 'b1', 3), row('a', 'a2', 2), row('a', 'a1', 1), row('b', 'b2', 4)];
  assert.deepEqual(
    besideRows(rows).map(({ id }) => id),
    ['a2', 'b2'],
  );
  assert.deepEqual(besideRows([]), []);
});
