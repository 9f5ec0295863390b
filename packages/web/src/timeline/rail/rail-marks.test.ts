import assert from 'node:assert/strict';
import { test } from 'node:test';
import { railMarks } from './rail-marks.ts';

const path = Array.from({ length: 1001 }, (_, index) => `n${index}`);

test('[WB61] a long branch has marks of what persons said, of bookmarks and of what went wrong', () => {
  const kinds = new Map<string, 'person' | 'bookmark' | 'error'>([
    ['n0', 'person'],
    ['n500', 'bookmark'],
    ['n501', 'error'],
    ['n502', 'person'],
    ['n1000', 'person'],
  ]);
  const marks = railMarks(path, (id) => kinds.get(id));
  assert.deepEqual(marks, [
    { node: 'n0', kind: 'person', at: 0 },
    { node: 'n501', kind: 'error', at: 0.501 },
    { node: 'n1000', kind: 'person', at: 1 },
  ]);
});

test('[WB61] there are never more marks than can be told apart, and none on a short branch', () => {
  assert.ok(railMarks(path, () => 'person').length <= 121);
  assert.deepEqual(
    railMarks(path.slice(0, 200), () => 'person'),
    [],
  );
});
