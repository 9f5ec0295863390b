import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideEditNode } from '../editing/text/edit-node.ts';
import { decideMarkNode } from '../editing/marks.ts';
import { nodeJson } from './node-json.ts';
import { decideRemove } from '../editing/remove.ts';
import { assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';

test('[FR110] a node is written with the keys of the format, in their order', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('hi'));
  const child = root.append(node, assistant('yes'));
  const timestamp = '2023-11-14T22:13:22.000Z';
  assert.equal(
    JSON.stringify(nodeJson(root.state, node)),
    JSON.stringify({
      id: node,
      root_id: 'root-1',
      parent_id: 'root-1',
      child_ids: [child],
      message: {
        role: 'user',
        content: [{ type: 'text', text: 'hi', agent: 'anna', block_id: 'root-1/@anna/1', status: 'done' }],
      },
      metadata: {
        timestamp,
        original_root_id: 'root-1',
        source_info: { type: 'user' },
        format: 2,
        seq: 2,
      },
    }),
  );
  assert.equal(nodeJson(root.state, 'root-1/node-9'), undefined);
});

test('[FR111] marks, splits, results and tombstones are in the metadata; deleted children are not listed', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('one two'));
  const child = root.append(node, assistant('yes'));
  root.done(decideMarkNode(root.state, 'anna', { node, title: 't', tags: ['x'], custom_data: { k: 1 } }));
  const left = root.done(decideEditNode(root.state, 'anna', { node, content: 'one', mode: 'split' }, root.editor)).node;
  root.done(decideMarkNode(root.state, 'anna', { node: child, context_start: true }));
  root.done(decideRemove(root.state, 'anna', { node: child, children: 'remove' }));
  const [leftJson, rightJson, childJson] = [left, node, child].map((id) => nodeJson(root.state, id));
  assert.deepEqual(Object.keys(leftJson?.metadata ?? {}), [
    'timestamp',
    'original_root_id',
    'source_info',
    'tags',
    'split_source',
    'title',
    'format',
    'seq',
  ]);
  assert.deepEqual([leftJson?.metadata.split_source, leftJson?.child_ids], [node, [node]]);
  assert.deepEqual([rightJson?.metadata.continues, rightJson?.child_ids, rightJson?.parent_id], [true, [], left]);
  assert.deepEqual([childJson?.metadata.deleted, childJson?.metadata.context_start], [true, true]);
  assert.equal(JSON.stringify(rightJson?.message.content).includes('"version":2'), true);
  const answer = nodeJson(root.state, root.append('root-1', calling('x', 'c1'), result('c1')));
  assert.deepEqual(Object.keys(answer?.message ?? {}), ['role', 'content', 'tool_call_id']);
});
