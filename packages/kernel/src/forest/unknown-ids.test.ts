import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import type { Store } from '../store.ts';
import { createWorld } from '../testing/world.ts';

/** The parts of a store that write, count, reserve or keep something. */
const keeping = new Set(['append', 'fold', 'writeProjection', 'listen', 'lease', 'release', 'nextClientId', 'putBlob']);

/** Returns a store that notes what it was asked to keep. */
function noteKeeping(store: Store, kept: string[]): Store {
  return new Proxy(store, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof part !== 'function') return part;
      return (...given: unknown[]): unknown => {
        if (keeping.has(String(key)) && given[0] !== 'forest') kept.push(`${String(key)} ${String(given[0])}`);
        return Reflect.apply(part, target, given);
      };
    },
  });
}

test('[FR136] the library keeps nothing of an id that names nothing: no log, no file, no counter, no state', async () => {
  const { store, another, root, say, provider } = await createWorld();
  const first = await say('hello');
  const kept: string[] = [];
  const engine = another({ store: noteKeeping(store, kept) });
  const { forest, turns, titles, blocks } = engine;
  assert.ok((await engine.open(root)).ok);
  kept.length = 0;
  const before = { logs: await store.logs(), held: forest.logsInMemory };

  let requests = 0;
  const by = () => ({ agent: 'person', id: `unknown-${(requests += 1)}` });
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
  const model = { provider: provider.id, model: 'one' };
  const calls: ((root: string, node: string, block: string) => Promise<unknown>)[] = [
    (at) => forest.removeRoot(by(), `${at}x`),
    (at) => forest.restoreRoot(by(), `${at}x`),
    (at) => forest.markRoot(by(), `${at}x`, { title: 'x' }),
    (at, node) => forest.append(by(), at, { parent: node, messages }),
    (at, node) => forest.editNode(by(), at, { node, content: 'x' }),
    (at, _node, block) => forest.editBlock(by(), at, { block, content: { type: 'text', text: 'x' } }),
    (at, _node, block) => forest.fork(by(), at, { block }),
    (at, node) => forest.remove(by(), at, { node, children: 'remove' }),
    (at, node) => forest.removeChildren(by(), at, node),
    (at, node) => forest.removeSiblings(by(), at, node),
    (at, node) => forest.restore(by(), at, node),
    (at, node) => forest.move(by(), at, { node, parent: node }),
    (at, node) => forest.moveToRoot(by(), { root: at, node }, { root, parent: root }),
    (at, node) => forest.moveToRoot(by(), { root, node: first }, { root: `${at}x`, parent: node }),
    (at, node) => forest.merge(by(), at, node),
    (at, node) => forest.markNode(by(), at, { node, title: 'x' }),
    (at, node) => forest.bookmark(by(), at, { node, title: 'x' }),
    (at) => forest.undo(by(), at, 9_999),
    (at) => forest.redo(by(), `${at}x`),
    (at) => forest.addClient(by(), `${at}x`),
    (at, node) => forest.findPlace(`${at}x`, node),
    (at) => forest.stateUnlessDamaged(`${at}x`),
    (at) => forest.summary(`${at}x`),
    (_at, node) => forest.resolve(node),
    (at, node) => turns.generate(by(), `${at}x`, { node, ...model }),
    (at, node) => turns.retry(by(), `${at}x`, { node, ...model }),
    (at) => turns.abort(by(), at, 'turn-none'),
    (at) => turns.steer(by(), at, 'turn-none', [{ type: 'text', text: 'x' }]),
    (at) => turns.withdraw(by(), at, 'message-none'),
    (at, node) => turns.decide({ ...by(), type: 'person' }, `${at}x`, { node, decision: 'approved', arguments: '{}' }),
    (at) => titles.suggest(by(), `${at}x`, { ...model, timeLimit: 1_000 }),
    (at) => engine.open(`${at}x`),
    (at) => engine.feed(`${at}x`),
    (at) => engine.recover(`${at}x`),
    (_at, _node, block_id) => blocks.append(by(), { block_id, text: 'x' }),
    (_at, _node, block_id) => blocks.status(by(), { block_id, status: 'done' }),
    (_at, _node, block_id) => blocks.splice(by(), { block_id, offset: 0, delete_count: 0, insert: 'x' }),
    (_at, _node, block_id) => blocks.edit(by(), { block_id, operations: [{ op: 'insert', line: 0, content: 'x' }] }),
    (_at, _node, block_id) => blocks.undo(by(), { block_id }),
    (_at, _node, block_id) => blocks.read({ block_id }),
    (_at, _node, block_id) => blocks.history({ block_id }),
    (_at, _node, block_id) => blocks.document(block_id),
    (_at, _node, block_id) => blocks.sync({ versions: [[block_id, 1]] }),
    (_at, _node, block_id) => blocks.subscribe({ block_ids: [block_id] }, () => {}),
    (_at, _node, block_id) => blocks.setCursor('person', { block_id, anchor: 0 }),
    (_at, node) => blocks.create(by(), { parent_id: node, role: 'user', kind: 'text', content: 'x' }),
  ];
  for (const [index, call] of calls.entries()) {
    for (const at of [`none-${index}`, root]) {
      await call(at, `${at}/node-999`, `${at}/@person/999`);
      assert.deepEqual(kept, [], `call ${index} at ${at === root ? 'a conversation' : 'nothing'}: ${String(call)}`);
      assert.equal(forest.logsInMemory, before.held, `call ${index}: ${String(call)}`);
    }
  }
  assert.deepEqual(await store.logs(), before.logs);
  assert.equal(forest.damaged.size, 0);
});
