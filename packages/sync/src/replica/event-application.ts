import { editableText, spliceText, withAppended, withOutput, withText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, NodeState } from '@loom/kernel';
import type { ConversationView } from './conversation-view.ts';
import { mostEndings } from '../frames.ts';
import type { ChangeFrame, TurnView } from '../frames.ts';
import { applyNodeChanges } from '../room/node-changes.ts';
import type { WireEvent } from '../room/wire-events.ts';

/** The result of applying a change. */
export interface AppliedChange {
  /** False if the view now lacks nodes that it ought to have, and only a snapshot can help. */
  isComplete: boolean;
  /** The events, as far as they concern nodes that are here. */
  events: FeedEvent[];
}

/** Applies a change to a view. */
export function applyChange(view: ConversationView, change: ChangeFrame): AppliedChange {
  const applied: FeedEvent[] = [];
  let isComplete = true;
  let isReshaped = false;
  for (const event of change.events) {
    const effect = applyEvent(view, event, change);
    if (effect === 'incomplete') isComplete = false;
    if (effect === 'reshaped') isReshaped = true;
    applied.push(...localEvents(view, event));
  }
  return { isComplete: (!isReshaped || view.prune()) && isComplete, events: applied };
}

/** An event as listeners here get it: with the node as it is after it. */
function localEvents(view: ConversationView, event: WireEvent): FeedEvent[] {
  if (event.type !== 'node-changed') return [event];
  const { type, node: id, ...changes } = event;
  const node = view.nodes.get(id) ?? view.drafts.get(id);
  return node === undefined ? [] : [{ type, node, changes }];
}

/** `reshaped`: nodes may have become visible or hidden; `incomplete`: visible nodes are missing here. */
type Effect = 'reshaped' | 'incomplete' | undefined;

function applyEvent(view: ConversationView, event: WireEvent, { seq, time }: ChangeFrame): Effect {
  switch (event.type) {
    case 'text-appended':
      return changeBlock(view, event.block, seq, (block) => appended(block, event));
    case 'text-changed':
      return changeBlock(view, event.block, seq, (block) => ({
        ...withText(block, spliceText(editableText(block) ?? '', event.changes)),
        version: event.version,
      }));
    case 'output':
      return changeBlock(view, event.block, seq, (block) => ({ ...withOutput(block, event), version: event.version }));
    case 'status-changed':
      return changeBlock(view, event.block, seq, (block) => withStatus(block, event));
    case 'block-added':
      endRetrying(view, view.outline.get(event.node)?.turn);
      return changeNode(view, event.node, seq, ({ blocks }) => ({
        blocks: [...blocks.slice(0, event.index), event.block, ...blocks.slice(event.index)],
      }));
    case 'block-changed':
      return changeBlock(view, event.block.block_id ?? '', seq, () => event.block);
    case 'block-removed':
      return changeNode(view, event.node, seq, ({ blocks }) => ({
        blocks: blocks.filter(({ block_id: id }) => id !== event.block),
      }));
    case 'node-added': {
      if (event.node.draft === true) {
        view.setDraft(event.node);
        return undefined;
      }
      endRetrying(view, event.node.turn);
      view.set(event.node);
      return view.scope === 'whole' && (view.outline.has(event.node.parent) || event.node.parent === view.id)
        ? undefined
        : 'reshaped';
    }
    case 'node-changed': {
      const draft = view.drafts.get(event.node);
      if (draft !== undefined) {
        view.setDraft(applyNodeChanges(draft, event, seq));
        return undefined;
      }
      const before = view.outline.get(event.node);
      // Hidden, or not wanted; only a separate event brings it into sight.
      if (before === undefined) return undefined;
      const node = view.nodes.get(event.node);
      if (node === undefined) view.setOutline(event.node, event.set);
      else view.set(applyNodeChanges(node, event, seq));
      return before.parent === view.outline.get(event.node)?.parent ? undefined : 'reshaped';
    }
    case 'node-removed':
      if (view.drafts.has(event.node)) {
        view.dropDraft(event.node);
        return undefined;
      }
      if (view.outline.has(event.node)) {
        view.drop(event.node);
        return 'reshaped';
      }
      // The node may be above a subtree, whose client does not know what is there.
      return isSubtree(view) ? 'incomplete' : undefined;
    case 'node-restored':
      return 'incomplete';
    case 'node-moved':
      if (view.outline.has(event.node)) {
        const { node, parent } = event;
        if (view.nodes.has(node)) changeNode(view, node, seq, () => ({ parent }));
        else view.setOutline(node, { parent });
        return 'reshaped';
      }
      return view.outline.has(event.parent) || event.parent === view.id ? 'incomplete' : undefined;
    case 'root-changed': {
      const { config = view.root.config, title, tags, deleted = view.root.deleted } = event;
      const { archived = view.root.archived === true, project } = event;
      const { title: before, project: formerly, archived: _archived, ...root } = view.root;
      const now = title === undefined ? before : (title ?? undefined);
      view.root = { ...root, config, deleted, tags: tags === undefined ? root.tags : (tags ?? []) };
      if (archived) view.root.archived = true;
      const place = project === undefined ? formerly : (project ?? undefined);
      if (place !== undefined) view.root.project = place;
      if (now !== undefined) view.root.title = now;
      return undefined;
    }
    case 'bookmark': {
      const { [event.node]: _before, ...others } = view.root.bookmarks;
      const bookmarks = event.title === null ? others : { ...view.root.bookmarks, [event.node]: event.title };
      view.root = { ...view.root, bookmarks };
      return undefined;
    }
    case 'turn-started': {
      const { type: _type, ...turn } = event;
      view.root = { ...view.root, turns: [...view.root.turns, turn] };
      return undefined;
    }
    case 'turn-retrying': {
      const { attempt, delay_ms, reason } = event;
      changeTurn(view, event.turn, (turn) => ({ ...turn, retrying: { attempt, delay_ms, reason } }));
      return undefined;
    }
    case 'turn-ended': {
      const { reason, error } = event;
      const ended = view.root.turns.find(({ turn }) => turn === event.turn);
      const turns = view.root.turns.filter((turn) => turn !== ended);
      if (ended === undefined) return undefined;
      const { retrying: _retrying, ...turn } = ended;
      const ending = { ...turn, reason, time, ...(error === undefined ? {} : { error }) };
      view.root = { ...view.root, turns, endings: [...view.root.endings, ending].slice(-mostEndings) };
      return undefined;
    }
    case 'message-waiting': {
      const { id, turn, kind, blocks } = event;
      view.root = { ...view.root, waiting: [...view.root.waiting, { id, turn, kind, blocks }] };
      return undefined;
    }
    case 'message-taken':
      view.root = { ...view.root, waiting: view.root.waiting.filter(({ id }) => id !== event.id) };
      return undefined;
    default:
      return undefined;
  }
}

function changeTurn(view: ConversationView, id: string, change: (turn: TurnView) => TurnView): void {
  const turns = view.root.turns.map((turn) => (turn.turn === id ? change(turn) : turn));
  view.root = { ...view.root, turns };
}

/** The provider has answered after all. */
function endRetrying(view: ConversationView, id: string | undefined): void {
  if (!view.root.turns.some(({ turn, retrying }) => turn === id && retrying !== undefined)) return;
  changeTurn(view, id ?? '', ({ retrying: _retrying, ...turn }) => turn);
}

function isSubtree({ scope }: ConversationView): boolean {
  return scope !== 'whole' && 'subtree' in scope;
}

function changeNode(
  view: ConversationView,
  id: string,
  seq: number,
  change: (node: NodeState) => Partial<NodeState>,
): undefined {
  const node = view.nodes.get(id) ?? view.drafts.get(id);
  if (node !== undefined) keep(view, { ...node, ...change(node), touched: seq });
}

function changeBlock(
  view: ConversationView,
  id: string,
  seq: number,
  change: (block: MessageBlock) => MessageBlock,
): undefined {
  const node = view.nodeOf(id);
  if (node === undefined) return;
  const blocks = node.blocks.map((block) => (block.block_id === id ? change(block) : block));
  keep(view, { ...node, blocks, touched: seq });
}

function keep(view: ConversationView, node: NodeState): void {
  if (node.draft === true) view.setDraft(node);
  else view.set(node);
}

function appended(
  block: MessageBlock,
  { field, text, version }: Extract<FeedEvent, { type: 'text-appended' }>,
): MessageBlock {
  return { ...withAppended(block, field, text), version };
}

function withStatus(
  { error: _before, ...block }: MessageBlock,
  { status, error, version, ended_at }: Extract<FeedEvent, { type: 'status-changed' }>,
): MessageBlock {
  const changed: MessageBlock = { ...block, status, version };
  if (error !== undefined) changed.error = error;
  if (ended_at !== undefined) changed.ended_at = ended_at;
  // The exact argument string is kept only where it says more than the parameters.
  if (changed.type !== 'tool-use' || changed.arguments !== JSON.stringify(changed.parameters)) return changed;
  const { arguments: _plain, ...rest } = changed;
  return rest;
}
