import type { MessageBlock } from '@loom/blocks';
import { editableText, messageBlock, withAppended, withOutput } from '@loom/blocks';
import { compactBlock, recordOf, withoutPlainArguments } from './block-record.ts';
import type { Change } from '../change.ts';
import type { FeedEvent } from './feed.ts';
import { changesBetween } from './node-changes.ts';
import type { NodeState } from './node-state.ts';
import { ruleAgent } from '../op.ts';
import type { NodeFields, NodeSeed, RootOp } from '../op.ts';
import type { RootState } from './root-state.ts';
import { isoTime } from '../iso-time.ts';
import { placeOfId } from './tree/id-order.ts';
import {
  cutHistory,
  flipOf,
  forgetHistory,
  historyOf,
  loggedEdit,
  noteAppend,
  rewrite,
  textEvent,
  withoutPrefix,
} from './edited-texts.ts';
import { isHalf, joinNode, splitNode } from './split-node.ts';

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
      if (op.archived !== undefined) state.archived = op.archived;
      if (op.project !== undefined) state.project = op.project ?? undefined;
      return [
        {
          type: 'root-changed',
          ...(op.config === undefined ? {} : { config: op.config }),
          ...(op.title === undefined ? {} : { title: op.title }),
          ...(op.tags === undefined ? {} : { tags: op.tags }),
          ...(op.deleted === undefined ? {} : { deleted: op.deleted }),
          ...(op.archived === undefined ? {} : { archived: op.archived }),
          ...(op.project === undefined ? {} : { project: op.project }),
        },
      ];
    case 'node-added':
      return [{ type: 'node-added', node: addNode(state, op.node, change, touchedBlocks) }];
    case 'node-changed':
      return [changeNode(state, nodeAt(state, op.node), op.set, change)];
    case 'node-removed':
      setNode(state, { ...nodeAt(state, op.node), deleted: true }, change);
      return [{ type: 'node-removed', node: op.node }];
    case 'node-restored': {
      const { deleted: _deleted, ...node } = nodeAt(state, op.node);
      setNode(state, node, change);
      return [{ type: 'node-restored', node: op.node }];
    }
    case 'node-moved': {
      const node = nodeAt(state, op.node);
      unlink(state, node);
      link(state, setNode(state, { ...node, parent: op.parent }, change));
      return [{ type: 'node-moved', node: op.node, parent: op.parent }];
    }
    case 'node-split': {
      const whole = nodeAt(state, op.node);
      // A split that was undone and is done again: the left half's tombstone comes back to life.
      const earlier = state.nodes.get(op.left);
      if (earlier !== undefined) unlink(state, earlier);
      unlink(state, whole);
      for (const block of whole.blocks.slice(0, op.block)) retireBlock(state, block);
      const halves = splitNode(whole, op, earlier);
      const cut = whole.blocks[op.block];
      if (cut !== undefined && op.offset > 0) cutHistory(state, cut, op.offset);
      const left = placeHalf(state, halves.left, change, touchedBlocks);
      if (earlier !== undefined) for (const block of left.blocks) forgetHistory(state, block.block_id ?? '', block);
      const right = placeHalf(state, halves.right, change, touchedBlocks);
      return [{ type: 'node-added', node: left }, changedNode(whole, right)];
    }
    case 'node-joined': {
      const [left, right] = [nodeAt(state, op.left), nodeAt(state, op.node)];
      unlink(state, right);
      const node = placeHalf(state, joinNode(left, right, state.retired), change, touchedBlocks);
      for (const block of node.blocks) {
        // A joined text starts over: the characters on both sides of the seam are not those that were cut apart.
        if (isHalf(left.blocks.at(-1), block)) forgetHistory(state, block.block_id ?? '', block);
      }
      setNode(state, { ...left, deleted: true }, change);
      return [changedNode(right, node), { type: 'node-removed', node: op.left }];
    }
    case 'block-added': {
      const node = nodeAt(state, op.node);
      const block = addBlock(state, node.id, op.block, change, touchedBlocks);
      endRetrying(state, node.turn);
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
      const before = editableText(blockAt(state, op.block)) ?? '';
      const history = historyOf(state, op.block);
      history.begin(before);
      history.applyEdit(loggedEdit(op, change));
      const { block } = updateBlock(state, op.block, change, touchedBlocks, (old) =>
        rewrite(state, old, history.spliceText(before, op.splices)),
      );
      return [textEvent(op, before, block)];
    }
    case 'unit': {
      const before = editableText(blockAt(state, op.block)) ?? '';
      const history = historyOf(state, op.block);
      // The first edit may have been appends.
      history.begin(before);
      history.applyFlip(flipOf(op));
      const { block } = updateBlock(state, op.block, change, touchedBlocks, (old) =>
        rewrite(state, old, history.spliceText(before, op.splices)),
      );
      return [textEvent(op, before, block)];
    }
    case 'text-appended': {
      noteAppend(state, op, change.agent);
      const isFirst = blockAt(state, op.block).status === 'pending';
      const { block } = updateBlock(state, op.block, change, touchedBlocks, (before) => ({
        ...withAppended(before, op.field, op.text),
        ...(isFirst ? { status: 'running' as const } : {}),
      }));
      const { block: id, field, text } = op;
      const { version = 0 } = block;
      const appended: FeedEvent = { type: 'text-appended', block: id, field, version, text };
      return isFirst ? [appended, { type: 'status-changed', block: id, version, status: 'running' }] : [appended];
    }
    case 'output': {
      const { block, node } = updateBlock(state, op.block, change, touchedBlocks, (before) => withOutput(before, op));
      const { block: id, field, bytes, tail } = op;
      const { version = 0 } = block;
      // The first one takes the place of a text that was inline.
      if (op.preview !== undefined) return [{ type: 'block-changed', node, block }];
      return [{ type: 'output', block: id, field, version, bytes, tail }];
    }
    case 'client-added':
      state.clients.set(op.client, change.agent);
      return [];
    case 'counters-raised':
      state.raiseCounters(op);
      return [];
    case 'status':
      return changeStatus(state, op, change, touchedBlocks);
    case 'block-changed': {
      const id = op.block.block_id ?? '';
      const before = editableText(blockAt(state, id));
      const { block, node } = updateBlock(state, id, change, touchedBlocks, (old) => ({
        ...op.block,
        // An undo brings the prefix of thoughts along; other content is not what the model wrote.
        ...recordOf(withoutPrefix(old)),
      }));
      if (editableText(block) !== before) forgetHistory(state, id, block);
      return [{ type: 'block-changed', node, block }];
    }
    case 'bookmark':
      if (op.title === null) state.bookmarks.delete(op.node);
      else state.bookmarks.set(op.node, op.title);
      return [{ type: 'bookmark', node: op.node, title: op.title }];
    case 'turn-started': {
      const { turn, node, provider, model, settings, tools, max_rounds, holder, batch, answer, told } = op;
      const { started_by, leaves_calls, credential } = op;
      if (told !== undefined && told !== 'same') state.told = told;
      if (answer !== undefined) state.reserveNodeId(answer);
      const manner = state.shared.turnManner({ provider, model, settings, tools, maxRounds: max_rounds, holder });
      state.turns.set(turn, {
        id: turn,
        node: state.nodes.get(node)?.id ?? node,
        ...manner,
        by: change.agent,
        started: change.seq,
        ...(batch === undefined ? {} : { batch }),
        ...(answer === undefined ? {} : { answer }),
        ...(told === undefined || state.told === undefined ? {} : { told: state.told }),
        ...(started_by === undefined ? {} : { startedBy: started_by }),
        ...(leaves_calls === undefined ? {} : { leavesCalls: leaves_calls }),
        ...(credential === undefined ? {} : { credential }),
        ...(op.beyond_limits === undefined ? {} : { beyondLimits: op.beyond_limits }),
      });
      state.liveTurns.add(turn);
      const more = {
        ...(answer === undefined ? {} : { answer }),
        ...(batch === undefined ? {} : { batch }),
        ...(started_by === undefined ? {} : { started_by }),
      };
      return [{ type: 'turn-started', turn, node, provider, model, ...more }];
    }
    case 'turn-retrying': {
      const { turn: id, attempt, delay_ms, reason } = op;
      const turn = state.turns.get(id);
      if (turn) state.turns.set(id, { ...turn, retrying: { attempt, delay_ms, reason } });
      return [{ type: 'turn-retrying', turn: id, attempt, delay_ms, reason }];
    }
    case 'turn-taken': {
      const turn = state.turns.get(op.turn);
      if (turn) state.turns.set(op.turn, { ...turn, holder: op.holder });
      return [{ type: 'turn-taken', turn: op.turn, holder: op.holder }];
    }
    case 'turn-ended': {
      const { told: _told, retrying: _retrying, ...turn } = state.turns.get(op.turn) ?? {};
      const failed = op.error === undefined ? {} : { error: op.error };
      const ended = { seq: change.seq, reason: op.reason, time: change.time, ...failed };
      if ('id' in turn) state.turns.set(op.turn, { ...turn, ended });
      state.liveTurns.delete(op.turn);
      forgetOldTurns(state);
      return [{ type: 'turn-ended', turn: op.turn, reason: op.reason, ...failed }];
    }
    case 'tool-started':
      state.startedTools.add(op.node);
      return [{ type: 'tool-started', turn: op.turn, node: op.node }];
    case 'approval': {
      const { type: _type, turn: _turn, node: _node, decision, arguments: exact, ...more } = op;
      // An approval with a rule and without a scope was logged by the turn itself: the rule let the call run.
      const isByRule = op.rules !== undefined && op.scope === undefined;
      const [by, at] = [isByRule ? ruleAgent : change.agent, isoTime(change.time)];
      state.approvals.set(op.node, { decision, arguments: exact, by, at, ...more });
      const event = { type: 'approval' as const, turn: op.turn, node: op.node, decision, by, at, ...more };
      const node = state.nodes.get(op.node);
      // The message of a decision that is older than a purge may be gone.
      if (node === undefined) return [event];
      const { questions } = node.ask ?? {};
      // The questions leave with the ask; the answers are read with them.
      const asked = questions === undefined || more.answers === undefined ? {} : { questions };
      const decided = { decision, by, at, ...more, ...asked };
      return [event, changedNode(node, setNode(state, { ...node, decided }, change))];
    }
    case 'message-waiting':
      // Its blocks have their ids from now on, wherever it will stand.
      for (const { block_id: id } of op.blocks) if (id !== undefined) state.reserveBlockId(id);
      state.waiting.set(op.id, op);
      return [{ type: 'message-waiting', id: op.id, turn: op.turn, kind: op.kind, blocks: op.blocks }];
    case 'message-taken':
      state.waiting.delete(op.id);
      return [{ type: 'message-taken', id: op.id }];
    case 'files-undone':
      for (const { path } of op.files) noteUndone(state, op.turn, path, op.to);
      return [{ type: 'files-undone', turn: op.turn, to: op.to, files: op.files.map(({ path }) => path) }];
    case 'undone':
      return [];
  }
}

function noteUndone({ undoneFiles }: RootState, turn: string, path: string, to: 'undone' | 'done'): void {
  const files = undoneFiles.get(turn) ?? new Set();
  if (to === 'undone') files.add(path);
  else files.delete(path);
  if (files.size === 0) undoneFiles.delete(turn);
  else undoneFiles.set(turn, files);
}

function endRetrying({ turns }: RootState, id: string | undefined): void {
  const turn = turns.get(id ?? '');
  if (turn?.retrying === undefined) return;
  const { retrying: _retrying, ...rest } = turn;
  turns.set(turn.id, rest);
}

/** Forgets old turns. Their words stay; only the way they were run is forgotten, which the log knows. */
function forgetOldTurns({ turns, liveTurns }: RootState): void {
  if (turns.size <= liveTurns.size + endedTurnsKept) return;
  for (const id of turns.keys()) {
    if (liveTurns.has(id)) continue;
    turns.delete(id);
    return;
  }
}

const endedTurnsKept = 1000;

function nodeAt(state: RootState, id: string): NodeState {
  const node = state.nodes.get(id);
  if (node === undefined) throw new ReferenceError(`there is no node ${id}`);
  return node;
}

function blockAt(state: RootState, id: string): MessageBlock {
  const block = state.block(id);
  if (block === undefined) throw new ReferenceError(`there is no block ${id}`);
  return block;
}

function nodeOf(state: RootState, block: string): NodeState {
  return nodeAt(state, state.nodeOfBlock.get(block) ?? block);
}

function setNode(state: RootState, node: Omit<NodeState, 'touched'>, change: Change<RootOp>): NodeState {
  return keepNode(state, { ...node, touched: change.seq });
}

function keepNode(state: RootState, node: NodeState): NodeState {
  state.index.replace(state.nodes.get(node.id), node);
  state.nodes.set(node.id, node);
  return node;
}

function addNode(state: RootState, seed: NodeSeed, change: Change<RootOp>, touchedBlocks: Set<string>): NodeState {
  if (state.nodes.has(seed.id)) throw new RangeError(`node ${seed.id} is there already`);
  state.reserveNodeId(seed.id);
  endRetrying(state, seed.turn);
  const blocks = seed.blocks.map((block) => addBlock(state, seed.id, block, change, touchedBlocks));
  // Ids that are known already, not other copies of them.
  const parent = state.nodes.get(seed.parent)?.id ?? state.id;
  const turn = state.turns.get(seed.turn ?? '')?.id ?? seed.turn;
  const source = state.shared.source(seed.source);
  const { id, parent: _parent, role, blocks: _blocks, source: _source, turn: _turn, ...rest } = seed;
  // Written out, because an object that is put together by spreading takes half as much room again.
  const place = { id, parent, role, blocks, source, time: change.time, touched: change.seq };
  const node =
    turn === undefined ? place : { id, parent, role, blocks, source, time: change.time, touched: change.seq, turn };
  return link(state, keepNode(state, Object.keys(rest).length === 0 ? node : { ...node, ...rest }));
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
  // A draft belongs to no branch.
  if (node.draft === true) return node;
  const siblings = state.children.get(node.parent);
  if (siblings === undefined) state.children.set(node.parent, [node.id]);
  else siblings.splice(placeOfId(siblings, node.id), 0, node.id);
  return node;
}

function unlink(state: RootState, node: NodeState): void {
  const siblings = state.children.get(node.parent) ?? [];
  const place = placeOfId(siblings, node.id);
  if (siblings[place] === node.id) siblings.splice(place, 1);
  // As if it had never had any, which is also the state after a reload.
  if (siblings.length === 0) state.children.delete(node.parent);
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
    // Those that were rebuilt from files have had a life before.
    version: block.version ?? 1,
    agent: state.shared.agent(block.agent ?? change.agent),
    created_at: block.created_at ?? isoTime(change.time),
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
  const block = compactBlock({ ...update(before), version: (before.version ?? 0) + raised });
  keepNode(state, { ...node, blocks: node.blocks.with(index, block), touched: change.seq });
  return { block, node: node.id };
}

function changeStatus(
  state: RootState,
  op: Extract<RootOp, { type: 'status' }>,
  change: Change<RootOp>,
  touchedBlocks: Set<string>,
): FeedEvent[] {
  const { type: _type, block: id, ...fields } = op;
  const { block, node } = updateBlock(state, id, change, touchedBlocks, ({ error: _old, ...before }) => {
    const after = withoutPlainArguments(messageBlock.parse({ ...before, ...fields }));
    // Another agent wrote into these thoughts before they were finished.
    return state.texts.get(id)?.isEditedByOthers(change.agent) === true ? withoutPrefix(after) : after;
  });
  const { version = 0 } = block;
  const { status, error, ended_at } = op;
  const said: FeedEvent = {
    type: 'status-changed',
    block: id,
    version,
    status,
    ...(error === undefined ? {} : { error }),
    ...(ended_at === undefined ? {} : { ended_at }),
  };
  // Other fields that came with the end are not a status: a reader gets the block whole.
  return op.provider === undefined && op.parameters === undefined
    ? [said]
    : [{ type: 'block-changed', node, block }, said];
}

function changeNode(state: RootState, before: NodeState, set: NodeFields, change: Change<RootOp>): FeedEvent {
  return changedNode(before, setNode(state, changeFields(state, before, set), change));
}

function changedNode(before: NodeState, node: NodeState): FeedEvent {
  return { type: 'node-changed', node, changes: changesBetween(before, node) };
}

function changeFields(state: RootState, node: NodeState, { source, ...set }: NodeFields): NodeState {
  const changed = source === undefined ? { ...node } : { ...node, source: state.shared.source(source) };
  for (const [name, value] of Object.entries(set)) {
    if (value === null) Reflect.deleteProperty(changed, name);
    else Reflect.set(changed, name, value);
  }
  return changed;
}
