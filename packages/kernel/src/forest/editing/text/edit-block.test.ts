import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideEditBlock } from './edit-block.ts';
import { decideEditNode } from './edit-node.ts';
import { visibleState, wholeState } from '../../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../../testing/test-root.ts';

function blockOf(root: TestRoot, node: string, index = 0): string {
  return root.node(node).blocks[index]?.block_id ?? '';
}

test('[FR35] a block is edited where it is, with children too, keeps its id, and is undone', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('hello'));
  root.append(node, assistant('yes'));
  const before = visibleState(root.state);
  const block = blockOf(root, node);
  root.done(decideEditBlock(root.state, 'anna', { block, text: 'hello you' }, root.editor));
  const [edited] = root.node(node).blocks;
  assert.deepEqual(
    [edited?.block_id, edited?.version, edited?.type === 'text' && edited.text],
    [block, 2, 'hello you'],
  );
  root.undo();
  assert.deepEqual(visibleState(root.state), before);
  assert.equal(root.node(node).blocks[0]?.version, 3);
  assert.deepEqual(wholeState(root.reload()), wholeState(root.state));
});

test('[FR36] content is replaced whole, within what the role allows; the record stays', () => {
  const root = new TestRoot();
  const node = root.append('root-1', calling('x', 'c1'));
  const block = blockOf(root, node, 1);
  const content = { type: 'tool-use' as const, id: 'c1', name: 'write', parameters: { a: 1 }, agent: 'mallory' };
  root.done(decideEditBlock(root.state, 'anna', { block, content }, root.editor));
  const { agent, ...edited } = root.node(node).blocks[1] ?? {};
  assert.equal(agent, 'anna');
  assert.deepEqual(
    { ...edited, created_at: '' },
    {
      type: 'tool-use',
      id: 'c1',
      name: 'write',
      parameters: { a: 1 },
      block_id: block,
      status: 'done',
      version: 2,
      created_at: '',
    },
  );
  root.undo();
  assert.equal(JSON.stringify(root.node(node).blocks[1]).includes('"read"'), true);
  const person = blockOf(root, root.append(node, user('hi')));
  assertRefused(decideEditBlock(root.state, 'anna', { block: person, content }, root.editor), 'invalid-params');
});

test('[FR36] a call that was answered keeps its id', () => {
  const root = new TestRoot();
  const call = root.append('root-1', calling('x', 'c1'));
  const answer = root.append(call, result('c1'));
  const block = blockOf(root, call, 1);
  const content = { type: 'tool-use' as const, id: 'c2', name: 'read', parameters: {} };
  assertRefused(decideEditBlock(root.state, 'anna', { block, content }, root.editor), 'results-need-calls', {
    results: [answer],
  });
});

test('[FR37] what has no text, is not there, or would leave a message that says nothing is refused', () => {
  const root = new TestRoot();
  const node = root.append('root-1', calling('x', 'c1'));
  const said = root.append('root-1', user('hi'));
  const edit = (block: string, text: string) => decideEditBlock(root.state, 'anna', { block, text }, root.editor);
  assertRefused(edit(blockOf(root, node, 1), 'x'), 'not-text');
  assertRefused(edit('root-1/@anna/99', 'x'), 'block-not-found');
  assertRefused(edit(blockOf(root, said), ' '), 'empty-message');
  assert.deepEqual(edit(blockOf(root, said), 'hi'), { ok: true, ops: [], value: { block: blockOf(root, said) } });
  root.done(edit(blockOf(root, node), ''));
});

test('[FR128] an edit that says what it expects is refused where something else is said, unless it makes no difference', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('one\ntwo'));
  const block = blockOf(root, node);
  const editBlock = (text: string, expected: string) =>
    decideEditBlock(root.state, 'anna', { block, text, expected }, root.editor);
  const editNode = (content: string, expected: string) =>
    decideEditNode(root.state, 'anna', { node, content, expected }, root.editor);
  const mismatch = { reason: 'text-mismatch', expected: 'old', actual: 'one\ntwo', start_line: 0, end_line: 2 };
  for (const edit of [editBlock, editNode]) {
    assert.deepEqual(edit('new', 'old'), { ok: false, refusal: mismatch });
    assert.equal(edit('one\ntwo', 'old').ok, true);
  }
  root.done(editBlock('three', 'one\ntwo'));
  root.done(editNode('four', 'three'));
  const blocks = [
    { type: 'text' as const, text: 'fo' },
    { type: 'text' as const, text: 'ur' },
  ];
  assertRefused(
    decideEditNode(root.state, 'anna', { node, content: 'x', expected: blocks }, root.editor),
    'text-mismatch',
  );
  const [edited] = root.node(node).blocks;
  assert.equal(edited?.type === 'text' && edited.text, 'four');
});
