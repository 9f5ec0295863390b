import type { MessageBlock } from '@loom/blocks';
import { messageBlock } from '@loom/blocks';
import { recordOf } from './block-record.ts';
import { editableText, spliceText, withAppended, withText } from './block-text.ts';
import type { Change } from './change.ts';
import type { FeedEvent } from './feed.ts';
import type { NodeState } from './node-state.ts';
import type { NodeFields, NodeSeed, RootOp } from './op.ts';
import type { RootState } from './root-state.ts';
import { placeOfId } from './forest/id-order.ts';
import { joinNode, splitNode } from './split-node.ts';

/**
 * Applies one op. Ops were judged before they were written, so one that does not fit the state is a bug or a damaged log,
 * and throws. `touchedBlocks` holds the blocks whose version this change has raised already.
 */
export function applyOp(state: RootState, op: RootOp, change: Change<RootOp>, touchedBlocks: Set<string>): FeedEvent[] {
  switch (op.type) {
    case 'root-changed':
      if (op.config !== undefined) state.config = op.config;
      if (op.title !== undefined) state.title = op.title ?? undefined;
      if (op.tags !== undefined) state.tags = op.tags ?? [];
      if (op.deleted !== undefined) state.deleted = op.deleted;
      return [op];
    case 'node-added':
      return [{ type: 'node-added', node: addNode(state, op.node, change, touchedBlocks) }];
    case 'node-changed':
      return [{ type: 'node-changed', node: setNode(state, changeFields(nodeAt(state, op.node), op.set), change) }];
    case 'node-removed':
      setNode(state, { ...nodeAt(state, op.node), deleted: true }, change);
      return [op];
    case 'node-restored': {
      const { deleted: _deleted, ...node } = nodeAt(state, op.node);
      setNode(state, node, change);
      return [op];
    }
    case 'node-moved': {
      const node = nodeAt(state, op.node);
      unlink(state, node);
      link(state, setNode(state, { ...node, parent: op.parent }, change));
      return [op];
    }
    case 'node-split': {
      const whole = nodeAt(state, op.node);
      // A split that was undone and is done again: the left half's tombstone comes back to life.
      const earlier = state.nodes.get(op.left);
      if (earlier !== undefined) unlink(state, earlier);
      unlink(state, whole);
      for (const block of whole.blocks.slice(0, op.block)) retireBlock(state, block);
      const halves = splitNode(whole, op, earlier);
      const left = placeHalf(state, halves.left, change, touchedBlocks);
      const right = placeHalf(state, halves.right, change, touchedBlocks);
      return [
        { type: 'node-added', node: left },
        { type: 'node-changed', node: right },
      ];
    }
    case 'node-joined': {
      const [left, right] = [nodeAt(state, op.left), nodeAt(state, op.node)];
      unlink(state, right);
      const node = placeHalf(state, joinNode(left, right, state.retired), change, touchedBlocks);
      setNode(state, { ...left, deleted: true }, change);
      return [
        { type: 'node-changed', node },
        { type: 'node-removed', node: op.left },
      ];
    }
    case 'block-added': {
      const node = nodeAt(state, op.node);
      const block = addBlock(state, node.id, op.block, change, touchedBlocks);
      const blocks = [...node.blocks.slice(0, op.index), block, ...node.blocks.slice(op.index)];
      setNode(state, { ...node, blocks }, change);
      return [{ type: 'block-added', node: node.id, index: op.index, block }];
    }
    case 'block-removed': {
      const node = nodeOf(state, op.block);
      for (const block of node.blocks) if (block.block_id === op.block) retireBlock(state, block);
      setNode(state, { ...node, blocks: node.blocks.filter((block) => block.block_id !== op.block) }, change);
      return [{ type: 'block-removed', node: node.id, block: op.block }];
    }
    case 'text': {
      const { block } = updateBlock(state, op.block, change, touchedBlocks, (before) =>
        withText(withoutPrefix(before), spliceText(editableText(before) ?? '', op.splices)),
      );
      return [{ type: 'text-changed', block: op.block, version: block.version ?? 0, changes: op.splices }];
    }
    case 'text-appended': {
      const { block } = updateBlock(state, op.block, change, touchedBlocks, (before) => ({
        ...withAppended(before, op.field, op.text),
        ...(before.status === 'pending' ? { status: 'running' as const } : {}),
      }));
      const { field, text } = op;
      return [{ type: 'text-appended', block: op.block, field, version: block.version ?? 0, text }];
    }
    case 'status':
      return changeStatus(state, op, change, touchedBlocks);
    case 'block-changed': {
      const { block, node } = updateBlock(state, op.block.block_id ?? '', change, touchedBlocks, (before) => ({
        ...op.block,
        ...recordOf(before),
      }));
      return [{ type: 'block-changed', node, block }];
    }
    case 'bookmark':
      if (op.title === null) state.bookmarks.delete(op.node);
      else state.bookmarks.set(op.node, op.title);
      return [op];
    case 'turn-started': {
      const { turn, node, provider, model, settings, tools, max_rounds, holder, batch } = op;
      const started = {
        id: turn,
        node,
        provider,
        model,
        settings,
        tools,
        maxRounds: max_rounds,
        holder,
        started: change.seq,
      };
      state.turns.set(turn, batch === undefined ? started : { ...started, batch });
      state.liveTurns.add(turn);
      return [op];
    }
    case 'turn-taken': {
      const turn = state.turns.get(op.turn);
      if (turn) state.turns.set(op.turn, { ...turn, holder: op.holder });
      return [op];
    }
    case 'turn-ended': {
      const turn = state.turns.get(op.turn);
      if (turn) state.turns.set(op.turn, { ...turn, ended: { seq: change.seq, reason: op.reason } });
      state.liveTurns.delete(op.turn);
      return [op];
    }
    case 'tool-started':
      state.startedTools.add(op.node);
      return [op];
    case 'approval': {
      const { decision, arguments: exact, text } = op;
      state.approvals.set(
        op.node,
        text === undefined ? { decision, arguments: exact } : { decision, arguments: exact, text },
      );
      return [op];
    }
    case 'message-waiting':
      // Its blocks have their ids from now on, wherever it will stand.
      for (const { block_id: id } of op.blocks) if (id !== undefined) state.reserveBlockId(id);
      state.waiting.set(op.id, op);
      return [op];
    case 'message-taken':
      state.waiting.delete(op.id);
      return [op];
    case 'undone':
      return [op];
  }
}

function nodeAt(state: RootState, id: string): NodeState {
  const node = state.nodes.get(id);
  if (node === undefined) throw new ReferenceError(`there is no node ${id}`);
  return node;
}

function nodeOf(state: RootState, block: string): NodeState {
  return nodeAt(state, state.nodeOfBlock.get(block) ?? block);
}

function setNode(state: RootState, node: Omit<NodeState, 'touched'>, change: Change<RootOp>): NodeState {
  const touched = { ...node, touched: change.seq };
  state.index.replace(state.nodes.get(node.id), touched);
  state.nodes.set(node.id, touched);
  state.recent.set(node.id, change.time);
  return touched;
}

function addNode(state: RootState, seed: NodeSeed, change: Change<RootOp>, touchedBlocks: Set<string>): NodeState {
  if (state.nodes.has(seed.id)) throw new RangeError(`node ${seed.id} is there already`);
  state.reserveNodeId(seed.id);
  const blocks = seed.blocks.map((block) => addBlock(state, seed.id, block, change, touchedBlocks));
  return link(state, setNode(state, { ...seed, blocks, time: change.time }, change));
}

/** Puts half of a split node, or a joined one, in its place and books its blocks there. */
function placeHalf(state: RootState, half: NodeState, change: Change<RootOp>, touchedBlocks: Set<string>): NodeState {
  state.reserveNodeId(half.id);
  for (const { block_id: id } of half.blocks) {
    if (id === undefined) continue;
    state.reserveBlockId(id);
    state.nodeOfBlock.set(id, half.id);
    state.retired.delete(id);
    touchedBlocks.add(id);
  }
  return link(state, setNode(state, half, change));
}

function link(state: RootState, node: NodeState): NodeState {
  const siblings = state.children.get(node.parent);
  if (siblings === undefined) state.children.set(node.parent, [node.id]);
  else siblings.splice(placeOfId(siblings, node.id), 0, node.id);
  return node;
}

function unlink(state: RootState, node: NodeState): void {
  const siblings = state.children.get(node.parent) ?? [];
  const place = placeOfId(siblings, node.id);
  if (siblings[place] === node.id) siblings.splice(place, 1);
}

/** Takes a block out of its node. It is kept, so that an undo can put it back as it was. */
function retireBlock(state: RootState, block: MessageBlock): void {
  if (block.block_id === undefined) return;
  state.retired.set(block.block_id, block);
  state.nodeOfBlock.delete(block.block_id);
}

function addBlock(
  state: RootState,
  node: string,
  block: MessageBlock,
  change: Change<RootOp>,
  touchedBlocks: Set<string>,
): MessageBlock {
  const id = block.block_id;
  if (id === undefined || state.nodeOfBlock.has(id)) throw new RangeError(`block ${id} has no id of its own`);
  state.reserveBlockId(id);
  state.nodeOfBlock.set(id, node);
  touchedBlocks.add(id);
  const retired = state.retired.get(id);
  if (retired !== undefined) {
    state.retired.delete(id);
    return { ...retired, version: (retired.version ?? 1) + 1 };
  }
  return {
    ...block,
    status: block.status ?? 'done',
    version: 1,
    agent: block.agent ?? change.agent,
    created_at: new Date(change.time).toISOString(),
  };
}

function updateBlock(
  state: RootState,
  id: string,
  change: Change<RootOp>,
  touchedBlocks: Set<string>,
  update: (block: MessageBlock) => MessageBlock,
): { block: MessageBlock; node: string } {
  const node = nodeOf(state, id);
  const index = node.blocks.findIndex((block) => block.block_id === id);
  const before = node.blocks[index];
  if (before === undefined) throw new ReferenceError(`there is no block ${id}`);
  const raised = touchedBlocks.has(id) ? 0 : 1;
  touchedBlocks.add(id);
  const block = { ...update(before), version: (before.version ?? 0) + raised };
  setNode(state, { ...node, blocks: node.blocks.with(index, block) }, change);
  return { block, node: node.id };
}

/** Words that a model did not write may not go back to it as its own thoughts: without a prefix they never do. */
function withoutPrefix(block: MessageBlock): MessageBlock {
  if (block.type !== 'thinking') return block;
  const { prefix: _prefix, ...rest } = block;
  return rest;
}

function changeStatus(
  state: RootState,
  op: Extract<RootOp, { type: 'status' }>,
  change: Change<RootOp>,
  touchedBlocks: Set<string>,
): FeedEvent[] {
  const { type: _type, block: id, ...fields } = op;
  const { block, node } = updateBlock(state, id, change, touchedBlocks, ({ error: _old, ...before }) =>
    withoutPlainArguments(messageBlock.parse({ ...before, ...fields })),
  );
  const { version = 0 } = block;
  const { status, error } = op;
  const event = { type: 'status-changed' as const, block: id, version, status };
  const said: FeedEvent = error === undefined ? event : { ...event, error };
  // What else came with the end is no status: a reader gets the block whole.
  return op.provider === undefined && op.parameters === undefined
    ? [said]
    : [{ type: 'block-changed', node, block }, said];
}

/** The exact argument string is kept only where it says more than the parameters. */
function withoutPlainArguments(block: MessageBlock): MessageBlock {
  if (block.type !== 'tool-use' || block.arguments !== JSON.stringify(block.parameters)) return block;
  const { arguments: _plain, ...rest } = block;
  return rest;
}

function changeFields(node: NodeState, set: NodeFields): NodeState {
  const changed = { ...node };
  for (const [name, value] of Object.entries(set)) {
    if (value === null) Reflect.deleteProperty(changed, name);
    else Reflect.set(changed, name, value);
  }
  return changed;
}
