import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideBookmark, decideMarkNode, decideMarkRoot } from './marks.ts';
import { visibleState, wholeState } from '../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';

test('[FR80] titles, tags and data of nodes and titles and tags of roots are set, taken away and undone', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  const before = visibleState(root.state);
  root.done(decideMarkNode(root.state, 'anna', { node, title: 't', tags: ['x', 'y', 'x'], custom_data: { k: 1 } }));
  const { title, tags, custom_data } = root.node(node);
  assert.deepEqual([title, tags, custom_data], ['t', ['x', 'y'], { k: 1 }]);
  root.done(decideMarkRoot(root.state, 'anna', { title: 'about a', tags: ['z'] }));
  assert.deepEqual([root.state.title, root.state.tags], ['about a', ['z']]);
  assert.deepEqual(wholeState(root.reload()), wholeState(root.state));
  root.undo();
  root.undo();
  assert.deepEqual(visibleState(root.state), before);
  root.done(decideMarkNode(root.state, 'anna', { node, title: 't', tags: ['x'] }));
  root.done(decideMarkNode(root.state, 'anna', { node, title: '', tags: null }));
  assert.deepEqual(visibleState(root.state), before);
});

test('[FR81] a node hides blocks of its own and of nodes above it, no others', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const leaf = root.append(top, assistant('b'));
  const [above] = root.node(top).blocks.flatMap(({ block_id: id }) => id ?? []);
  const [own] = root.node(leaf).blocks.flatMap(({ block_id: id }) => id ?? []);
  root.done(decideMarkNode(root.state, 'anna', { node: leaf, exclude: [above ?? '', own ?? ''] }));
  assert.deepEqual(root.node(leaf).exclude, [above, own]);
  assertRefused(decideMarkNode(root.state, 'anna', { node: top, exclude: [own ?? ''] }), 'invalid-params', {
    problems: [{ path: ['exclude'] }],
  });
  assertRefused(decideMarkNode(root.state, 'anna', { node: top, exclude: ['root-1/@anna/9'] }), 'invalid-params');
  root.done(decideMarkNode(root.state, 'anna', { node: leaf, exclude: [] }));
  assert.equal(root.node(leaf).exclude, undefined);
});

test('[FR82] a context may start at any node but a result', () => {
  const root = new TestRoot();
  const call = root.append('root-1', calling('x', 'c1'));
  const answer = root.append(call, result('c1'));
  root.done(decideMarkNode(root.state, 'anna', { node: call, context_start: true }));
  assert.equal(root.node(call).context_start, true);
  assertRefused(decideMarkNode(root.state, 'anna', { node: answer, context_start: true }), 'invalid-params');
  root.done(decideMarkNode(root.state, 'anna', { node: call, context_start: false }));
  assert.equal(root.node(call).context_start, undefined);
});

test('[FR83] bookmarks are set, renamed, taken away and undone', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  root.done(decideBookmark(root.state, 'anna', { node, title: 'one' }));
  root.done(decideBookmark(root.state, 'anna', { node, title: 'two' }));
  assert.deepEqual([...root.state.bookmarks], [[node, 'two']]);
  root.undo();
  assert.deepEqual([...root.state.bookmarks], [[node, 'one']]);
  root.undo();
  assert.deepEqual([...root.state.bookmarks], []);
  assertRefused(decideBookmark(root.state, 'anna', { node: 'root-1/node-9', title: 'x' }), 'node-not-found');
  assert.deepEqual(decideBookmark(root.state, 'anna', { node, title: null }), { ok: true, ops: [], value: { node } });
});
