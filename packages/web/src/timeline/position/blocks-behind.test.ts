import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../../conversation/rows.ts';
import { blocksBehind } from './blocks-behind.ts';

const block = (id: string, node = 'n'): Row => ({ kind: 'block', key: id, node, block: id, type: 'text' });
const loading = (node: string): Row => ({ kind: 'loading', key: `${node} loading`, node });

test('[WB68] blocks that came behind the last row are counted, and none that were loaded above it', () => {
  const last = block('b');
  assert.equal(blocksBehind([block('a'), last], last), 0);
  assert.equal(blocksBehind([block('z'), block('a'), last, block('c'), block('d')], last), 2);
  assert.equal(blocksBehind([block('a', 'm'), block('b', 'm'), block('c', 'o')], loading('m')), 1);
  assert.equal(blocksBehind([block('x'), block('y')], last), 0, 'another branch is shown');
});
