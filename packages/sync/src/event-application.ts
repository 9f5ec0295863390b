import { editableText, spliceText, withAppended, withText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, NodeState } from '@loom/kernel';
import type { ConversationView } from './conversation-view.ts';
import type { ChangeFrame } from './frames.ts';

/** Applies a change to a view. False if the view now lacks nodes that it ought to have, and only a snapshot can help. */
export function applyChange(view: ConversationView, { seq, events }: ChangeFrame): boolean {
  let isComplete = true;
  let isReshaped = false;
  for (const event of events) {
    const effect = applyEvent(view, event, seq);
    if (effect === 'incomplete') isComplete = false;
    if (effect === 'reshaped') isReshaped = true;
  }
  return (!isReshaped || view.prune()) && isComplete;
}

/** `reshaped`: nodes may have come to be seen or not; `incomplete`: nodes are to be seen that are not here. */
type Effect = 'reshaped' | 'incomplete' | undefined;

function applyEvent(view: ConversationView, event: FeedEvent, seq: number): Effect {
  switch (event.type) {
    case 'text-appended':
      return changeBlock(view, event.block, seq, (block) => appended(block, event));
    case 'text-changed':
      return changeBlock(view, event.block, seq, (block) => ({
        ...withText(block, spliceText(editableText(block) ?? '', event.changes)),
        version: event.version,
      }));
    case 'status-changed':
      return changeBlock(view, event.block, seq, (block) => withStatus(block, event));
    case 'block-added':
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
      view.set(event.node);
      return view.scope === 'whole' && (view.nodes.has(event.node.parent) || event.node.parent === view.id)
        ? undefined
        : 'reshaped';
    }
    case 'node-changed': {
      const before = view.nodes.get(event.node.id);
      // Hidden, or not wanted; nothing but an event of its own brings it into sight.
      if (before === undefined) return undefined;
      view.set(event.node);
      return before.parent === event.node.parent ? undefined : 'reshaped';
    }
    case 'node-removed':
      if (view.nodes.has(event.node)) {
        changeNode(view, event.node, seq, () => ({ deleted: true }));
        return 'reshaped';
      }
      // It may be above a subtree, whose client does not know what is there.
      return isSubtree(view) ? 'incomplete' : undefined;
    case 'node-restored':
      return 'incomplete';
    case 'node-moved':
      if (view.nodes.has(event.node)) {
        changeNode(view, event.node, seq, () => ({ parent: event.parent }));
        return 'reshaped';
      }
      return view.nodes.has(event.parent) || event.parent === view.id ? 'incomplete' : undefined;
    case 'root-changed': {
      const { config = view.root.config, title, tags, deleted = view.root.deleted } = event;
      const { title: before, ...root } = view.root;
      const now = title === undefined ? before : (title ?? undefined);
      view.root = { ...root, config, deleted, tags: tags === undefined ? root.tags : (tags ?? []) };
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
      const { turn, node, provider, model } = event;
      view.root = { ...view.root, turns: [...view.root.turns, { turn, node, provider, model }] };
      return undefined;
    }
    case 'turn-ended':
      view.root = { ...view.root, turns: view.root.turns.filter(({ turn }) => turn !== event.turn) };
      return undefined;
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

function isSubtree({ scope }: ConversationView): boolean {
  return scope !== 'whole' && 'subtree' in scope;
}

function changeNode(
  view: ConversationView,
  id: string,
  seq: number,
  change: (node: NodeState) => Partial<NodeState>,
): undefined {
  const node = view.nodes.get(id);
  if (node !== undefined) view.set({ ...node, ...change(node), touched: seq });
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
  view.set({ ...node, blocks, touched: seq });
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
