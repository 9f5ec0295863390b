import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../refusal.ts';
import { createWorld } from '../testing/world.ts';
import type { Caller } from './operation.ts';

let requests = 0;

function by(): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `draft-${requests}` };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

test('[OP66] a draft is edited, searched, named, removed and brought back like a message, but is in no branch', async () => {
  const { engine, root, another } = await createWorld();
  const { nodes } = value(
    await engine.call('node.append', by(), { parent: root, messages: [{ role: 'user', content: 'hello' }] }),
  );
  const before = value(await engine.call('root.get', by(), { root }));
  const made = value(await engine.call('draft.create', by(), { root, title: 'Plan', text: 'first needle' }));
  const more = { block_id: made.block_id, offset: 12, delete_count: 0, insert: ' and more' };
  value(await engine.call('block.splice', by(), more));
  const list = async (): Promise<unknown[]> =>
    value(await engine.call('draft.list', by(), { root })).drafts.map(({ node, title, opening }) => [
      node,
      title,
      opening,
    ]);
  assert.deepEqual(await list(), [[made.node, 'Plan', 'first needle and more']]);
  const after = value(await engine.call('root.get', by(), { root }));
  assert.deepEqual(
    [after.nodes, after.branches, after.leaves, after.opening],
    [before.nodes, before.branches, before.leaves, before.opening],
  );
  const shape = value(await engine.call('tree.topology', by(), { top: root }));
  assert.deepEqual(
    shape.nodes.map(({ id }) => id),
    nodes,
  );
  const { blocks } = value(await engine.call('kernel.search', by(), { query: 'needle' }));
  assert.deepEqual(
    blocks.map(({ block_id }) => block_id),
    [made.block_id],
  );
  value(await engine.call('node.mark', by(), { node: made.node, title: 'New plan' }));
  value(await engine.call('draft.remove', by(), { node: made.node }));
  assert.deepEqual(await list(), []);
  value(await engine.call('tree.undo', by(), { root }));
  assert.deepEqual(await list(), [[made.node, 'New plan', 'first needle and more']]);
  const other = another();
  const again = value(await other.call('draft.list', by(), { root })).drafts.map(({ node, title }) => [node, title]);
  assert.deepEqual(again, [[made.node, 'New plan']]);
});

test('[OP66] nothing can hang on a draft, and what is about branches refuses it', async () => {
  const { engine, root } = await createWorld();
  const { node, block_id } = value(await engine.call('draft.create', by(), { root, text: 'words' }));
  const { nodes } = value(
    await engine.call('node.append', by(), { parent: root, messages: [{ role: 'user', content: 'hello' }] }),
  );
  const message = { role: 'user' as const, content: 'below' };
  const outcomes: Outcome<unknown>[] = [
    await engine.call('node.append', by(), { parent: node, messages: [message] }),
    await engine.call('node.edit', by(), { node, content: 'other' }),
    await engine.call('node.remove', by(), { node }),
    await engine.call('node.move', by(), { node: nodes[0] ?? '', parent: node }),
    await engine.call('node.move', by(), { node, parent: nodes[0] ?? '' }),
    await engine.call('node.bookmark', by(), { node, title: 'x' }),
    await engine.call('turn.start', by(), { node, provider: 'scripted', model: 'one' }),
    await engine.call('context.get', by(), { node }),
    await engine.call('draft.remove', by(), { node: nodes[0] ?? '' }),
  ];
  const forked = await engine.call('node.fork', by(), { block_id });
  assert.equal(forked.ok || forked.refusal.reason, 'block-not-found');
  for (const [index, outcome] of outcomes.entries())
    assert.equal(outcome.ok || outcome.refusal.reason, 'node-not-found', `outcome ${index}`);
});
