import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Message } from '@loom/blocks';
import { commonPrefix, messagesEqual } from '@loom/blocks';
import { messageOf } from '../../state/node-state.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { decideAppend } from './append.ts';
import { textsOf } from './text/block-plan.ts';
import { EqualChildren } from '../../state/tree/equal-children.ts';
import { decideEditBlock } from './text/edit-block.ts';
import { decideEditNode } from './text/edit-node.ts';
import { decideRemove, decideRestore } from './remove.ts';
import { anyPhrase, anySpeech, pickNode } from '../testing/arbitrary-roots.ts';
import { wholeState } from '../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';
import { liveChildren } from '../../state/tree/tree.ts';
import { TreeIndex } from '../../state/tree/tree-index.ts';
import { decideUndo } from '../undo/undo.ts';

function decide(root: TestRoot, parent: string, messages: readonly Message[], importing = false) {
  return decideAppend(root.state, 'anna', { parent, messages, importing });
}

test('[FR1] appending again finds the nodes that are there and creates only the rest', () => {
  const root = new TestRoot();
  const messages = [user('a'), assistant('b'), user('c')];
  const first = root.done(decide(root, 'root-1', messages));
  assert.deepEqual(first.nodes, ['root-1/node-1', 'root-1/node-2', 'root-1/node-3']);
  assert.deepEqual(root.done(decide(root, 'root-1', messages)), { nodes: first.nodes, created: [] });
  const other = root.done(decide(root, 'root-1', [user('a'), assistant('b'), user('d')]));
  assert.deepEqual(other, { nodes: ['root-1/node-1', 'root-1/node-2', 'root-1/node-4'], created: ['root-1/node-4'] });
});

test('[FR1] the first equal child is taken, by number, even if another one would lead further', () => {
  const root = new TestRoot();
  for (let count = 0; count < 12; count += 1) {
    root.write([
      {
        type: 'node-added',
        node: {
          id: root.state.newNodeId(),
          parent: 'root-1',
          role: 'user',
          blocks: [
            {
              type: 'text',
              text: count === 1 || count === 9 ? 'twin' : `${count}`,
              block_id: root.state.newBlockId('b'),
            },
          ],
          source: { type: 'user' },
        },
      },
    ]);
  }
  root.append('root-1/node-10', assistant('further'));
  const { nodes } = root.done(decide(root, 'root-1', [user('twin'), assistant('further')]));
  assert.deepEqual(nodes, ['root-1/node-2', 'root-1/node-14']);
});

test('[FR2] a deleted child and one that is still being written are not found, a restored one is', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  root.done(decideRemove(root.state, 'anna', { node, children: 'remove' }));
  const second = root.append('root-1', user('a'));
  assert.notEqual(second, node);
  root.done(decideRestore(root.state, 'anna', { node }));
  assert.equal(root.append('root-1', user('a')), node);
  const [block] = root.node(node).blocks;
  root.write([{ type: 'status', block: block?.block_id ?? '', status: 'running' }]);
  assert.equal(root.append('root-1', user('a')), second);
});

test('[FR2] a tool node that waits for its result is not taken for an empty result', () => {
  const root = new TestRoot();
  const call = root.append('root-1', calling('x', 'c1'));
  const waiting = { id: 'root-1/node-9', parent: call, role: 'tool' as const, blocks: [], tool_call_id: 'c1' };
  root.write([
    { type: 'node-added', node: { ...waiting, tool: 'waiting', source: { type: 'tool_result', tool_name: 'f' } } },
  ]);
  const empty: Message = { role: 'tool', tool_call_id: 'c1', content: [] };
  assert.notEqual(root.append(call, empty), 'root-1/node-9');
});

test('[FR3] blank text blocks do not count, and what is stored stays as it was', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a', ' '));
  const before = root.node(node);
  assert.equal(root.append('root-1', user('', 'a')), node);
  assert.equal(root.node(node), before);
  assert.notEqual(root.append('root-1', user('a ')), node);
});

test('[FR3] neighbours of one role stay nodes of their own', () => {
  const root = new TestRoot();
  const { nodes } = root.done(decide(root, 'root-1', [user('a'), user('b'), assistant('c'), assistant('d')]));
  assert.equal(new Set(nodes).size, 4);
});

test('[FR4] one empty message refuses the whole call; importers keep it', () => {
  const root = new TestRoot();
  const messages = [user('a'), user(' \n')];
  assertRefused(decide(root, 'root-1', messages), 'empty-message');
  assert.equal(root.state.nodes.size, 0);
  assert.equal(root.done(decide(root, 'root-1', messages, true)).created.length, 2);
});

test('[FR5] a result needs its call above it, in the tree or among the messages', () => {
  const root = new TestRoot();
  const call = root.append('root-1', user('q'), calling('x', 'c1'));
  assertRefused(decide(root, 'root-1', [result('c1')]), 'orphan-result');
  assertRefused(decide(root, 'root-1', [result('c2'), calling('y', 'c2')]), 'orphan-result');
  const below = root.append(call, result('c1'));
  assert.deepEqual(root.node(below).source, { type: 'tool_result', tool_name: 'read' });
  root.append('root-1', calling('y', 'c2'), result('c2'));
  const orphan = root.done(decide(root, 'root-1', [result('c3')], true)).created[0] ?? '';
  assert.deepEqual(root.node(orphan).source, { type: 'tool_result', tool_name: '' });
});

test('[FR5] an empty result is a result', () => {
  const root = new TestRoot();
  const empty: Message = { role: 'tool', tool_call_id: 'c1', content: [] };
  const node = root.append('root-1', calling('x', 'c1'), empty);
  assert.equal(root.append('root-1', calling('x', 'c1'), empty), node);
});

test('[FR6] nothing is appended below a missing or deleted node, nor under a turn that is live', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const below = root.append(top, user('b'));
  assertRefused(decide(root, 'root-1/node-9', [user('x')]), 'node-not-found');
  root.done(decideRemove(root.state, 'anna', { node: top, children: 'remove' }));
  assertRefused(decide(root, below, [user('x')]), 'node-not-found');
  root.undo();
  startTurn(root, below);
  assertRefused(decide(root, 'root-1/node-3', [user('x')]), 'turn-live', { turns: ['t1'] });
  root.append(below, user('beside the turn'));
});

test('[FR6] nothing is appended below what a live turn has written, even where the messages lead there', () => {
  const root = new TestRoot();
  const asked = root.append('root-1', user('a'));
  startTurn(root, root.append(asked, user('b')));
  const path = [user('a'), user('b'), assistant('so far')];
  root.write([{ type: 'status', block: 'root-1/@m/1', status: 'done' }], 'm', 't1');
  assert.equal(root.append('root-1', ...path), 'root-1/node-3');
  assertRefused(decide(root, 'root-1', [...path, user('x')]), 'turn-live', { turns: ['t1'] });
});

test('[FR7] an equal child is found by looking at it alone, however many children there are', () => {
  const children = Array.from({ length: 5000 }, (_, index) => makeNode(`n/node-${index + 1}`, `text ${index}`));
  const byId = new Map(children.map((child) => [child.id, child]));
  const ids = [...byId.keys()];
  let looked = 0;
  const nodeOf = (id: string): NodeState | undefined => {
    looked += 1;
    return byId.get(id);
  };
  const equal = new EqualChildren();
  assert.equal(equal.find('n', ids, nodeOf, user('text 4000'))?.id, 'n/node-4001');
  looked = 0;
  for (const number of [0, 17, 2500, 4999]) {
    assert.equal(equal.find('n', ids, nodeOf, user(`text ${number}`))?.id, `n/node-${number + 1}`);
  }
  assert.equal(equal.find('n', ids, nodeOf, user('nobody said this')), undefined);
  assert.equal(looked, 4);
  const edited = makeNode('n/node-18', 'edited');
  equal.replace(byId.get(edited.id), edited);
  byId.set(edited.id, edited);
  assert.equal(equal.find('n', ids, nodeOf, user('text 17')), undefined);
  assert.equal(looked, 4);
  assert.equal(equal.find('n', ids, nodeOf, user('edited')), edited);
});

test('[FR7] among many children the index finds what a search would find, whatever happens to them', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const step = fc.tuple(fc.constantFrom('add', 'edit', 'remove', 'restore'), fc.nat(), word);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const root = new TestRoot();
      for (let count = 0; count < 20; count += 1) root.append('root-1', user(`filler ${count}`));
      root.append('root-1', user('a'));
      for (const [what, number, text] of steps) {
        const ids = root.state.children.get('root-1') ?? [];
        const node = root.node(ids[number % ids.length] ?? '');
        const block = node.blocks[0]?.block_id ?? '';
        if (what === 'add') addTwin(root, text);
        if (what === 'edit' && node.deleted !== true) {
          root.done(decideEditBlock(root.state, 'anna', { block, text }, root.editor));
        }
        if (what === 'remove' && node.deleted !== true) root.write([{ type: 'node-removed', node: node.id }]);
        if (what === 'restore' && node.deleted === true) root.write([{ type: 'node-restored', node: node.id }]);
        for (const wanted of ['a', 'b', 'c']) {
          const found = decide(root, 'root-1', [user(wanted)]);
          const searched = liveChildren(root.state, 'root-1').find((child) => says(child, wanted));
          const expected = searched === undefined ? { ok: true, made: 1 } : { ok: true, made: 0 };
          assert.deepEqual({ ok: found.ok, made: found.ok ? found.ops.length : 0 }, expected);
          if (found.ok && searched !== undefined) assert.deepEqual(found.value.nodes, [searched.id]);
        }
      }
      assert.deepEqual(wholeState(root.reload()), wholeState(root.state));
    }),
    { numRuns: 30 },
  );
});

test('[FR8] an empty message, in the tree or among the messages, does not end re-use', () => {
  const blank = user(' \n');
  const root = new TestRoot();
  const { nodes } = root.done(decide(root, 'root-1', [user('a'), blank, assistant('b'), user('c')], true));
  const [a, silent, b, c] = nodes;
  assert.deepEqual(root.done(decide(root, 'root-1', [user('a'), assistant('b')])), { nodes: [a, b], created: [] });
  const again = root.done(decide(root, 'root-1', [user('a'), user('\t'), assistant('b'), blank, user('c')], true));
  assert.deepEqual(again, { nodes: [a, silent, b, c, c], created: [] });
  const ending = root.done(decide(root, 'root-1', [user('a'), blank], true));
  assert.deepEqual(ending, { nodes: [a, silent], created: [] });
  const longer = root.done(decide(root, 'root-1', [user('a'), assistant('b'), blank, user('d')], true));
  assert.deepEqual([longer.nodes.slice(0, 2), longer.created.length], [[a, b], 2]);
  const direct = root.append(a ?? '', assistant('e'));
  assert.equal(root.append('root-1', user('a'), assistant('e')), direct);
});

test('[FR8] along one path re-use goes as far as the common prefix', () => {
  const anyMessage = fc
    .tuple(fc.boolean(), fc.constantFrom('a', 'b', ' ', '\n'))
    .map(([isUser, text]) => (isUser ? user(text) : assistant(text)));
  const anyPath = fc.array(anyMessage, { maxLength: 8 });
  fc.assert(
    fc.property(anyPath, anyPath, anyPath, (start, left, right) => {
      const [stored, given] = [
        [...start, ...left],
        [...start, ...right],
      ];
      const root = new TestRoot();
      root.done(decide(root, 'root-1', stored, true));
      const { leftEnd, rightEnd } = commonPrefix(stored, given);
      const { nodes, created } = root.done(decide(root, 'root-1', given, true));
      const shared = nodes.length - created.length;
      assert.ok(shared >= rightEnd);
      if (rightEnd > 0) assert.equal(nodes[rightEnd - 1], `root-1/node-${leftEnd}`);
      for (const message of given.slice(rightEnd, shared)) assert.deepEqual(commonPrefix([message], []).length, 0);
    }),
  );
});

test('[FR8] messages are found again after any edits that branch, however often they were cut', () => {
  const anySay = fc.tuple(fc.boolean(), fc.array(anySpeech, { minLength: 1, maxLength: 3 }));
  const anyEdit = fc.record({ at: fc.nat(), block: fc.nat(), offset: fc.nat(), more: fc.option(anyPhrase) });
  fc.assert(
    fc.property(
      fc.array(anySay, { minLength: 1, maxLength: 4 }),
      fc.array(anyEdit, { maxLength: 8 }),
      (said, edits) => {
        const root = new TestRoot();
        const messages = [
          ...said.map(([isUser, texts]) => (isUser ? user(...texts) : assistant(...texts))),
          user('the end'),
        ];
        const end = root.append('root-1', ...messages);
        for (const edit of edits) {
          cutSomewhere(root, edit);
          assert.deepEqual(root.done(decide(root, 'root-1', messages)).nodes.at(-1), end);
          assert.deepEqual(reducedCuts(root.state), reducedCuts(root.reload()));
          assert.deepEqual(reducedCuts(root.state), reducedCuts(root.state, loadIndex(root.state)));
        }
        const cut = root.state.seq;
        while (root.state.seq < cut + edits.length) {
          const undone = decideUndo(root.state, 'anna', undefined, root.editor);
          if (!undone.ok || undone.value.undone === 2) break;
          root.done(undone);
          assert.deepEqual(root.done(decide(root, 'root-1', messages)).created, []);
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** A branching edit: a beginning of the text, or one that goes on with what nothing else says. */
function cutSomewhere(
  root: TestRoot,
  { at, block, offset, more }: { at: number; block: number; offset: number; more: string | null },
): void {
  const node = pickNode(root, at, (id) => root.state.index.liveChildCount(id) > 0);
  if (node === undefined) return;
  const texts = textsOf(root.node(node).blocks);
  const last = block % texts.length;
  const text = texts[last] ?? '';
  const kept = text.slice(0, offset % (text.length + 1)).toWellFormed();
  const content = [...texts.slice(0, last), more === null ? kept : `${kept}§${more}`];
  const decision = decideEditNode(
    root.state,
    'anna',
    { node, content: content.map((each) => ({ type: 'text', text: each })), mode: 'split' },
    root.editor,
  );
  if (decision.ok && decision.ops.length > 0) root.write(decision.ops);
}

function reducedCuts(state: RootState, { cutTexts } = state.index): unknown[] {
  return [...state.nodes.keys(), state.id].map((id) => [id, cutTexts.begunBelow(id)]);
}

/** The index as a snapshot makes it. */
function loadIndex(state: RootState): TreeIndex {
  const index = new TreeIndex(state.id);
  index.load([...state.nodes.values()].map((node) => [node, node.touched]));
  return index;
}

function says(node: NodeState, text: string): boolean {
  const message = messageOf(node, node.blocks);
  return message !== undefined && messagesEqual(message, user(text));
}

/** A child that says the same as another one, as completions do. */
function addTwin(root: TestRoot, text: string): void {
  const { state } = root;
  const blocks = [{ type: 'text' as const, text, block_id: state.newBlockId('m') }];
  const node = {
    id: state.newNodeId(),
    parent: 'root-1',
    role: 'user' as const,
    blocks,
    source: { type: 'user' as const },
  };
  root.write([{ type: 'node-added', node }]);
}

function makeNode(id: string, text: string): NodeState {
  const blocks = [{ type: 'text' as const, text, status: 'done' as const }];
  return { id, parent: 'n', role: 'user', blocks, source: { type: 'user' }, time: 0, touched: 1 };
}

/** Starts a turn that answers a node and has written one node. */
function startTurn(root: TestRoot, node: string): void {
  const blocks = [{ type: 'text' as const, text: 'so far', block_id: 'root-1/@m/1', status: 'running' as const }];
  root.write([
    {
      type: 'turn-started',
      turn: 't1',
      node,
      provider: 'p',
      model: 'm',
      settings: {},
      tools: [],
      max_rounds: 1,
      holder: 'h',
    },
    {
      type: 'node-added',
      node: { id: 'root-1/node-3', parent: node, role: 'assistant', blocks, source: { type: 'user' }, turn: 't1' },
    },
  ]);
}
