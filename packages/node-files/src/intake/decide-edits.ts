import {
  assistantBlock,
  cleanText,
  contentFields,
  editableText,
  isBlank,
  messageBlock,
  spliceText,
  stableDeepEqual,
  toolBlock,
  mergeText,
  userBlock,
} from '@loom/blocks';
import { presentNode, refuse, refuseParams } from '@loom/kernel';
import { refuseUnfinished } from '@loom/kernel/logs';
import type { NodeState, Refused, RootState } from '@loom/kernel';
import type { DecideRoot, NodeFields, RootOp } from '@loom/kernel/logs';
import type { NodeEdits } from './node-edits.ts';

/** The agent of all changes that come from files. */
export const filesystemAgent = 'filesystem';

/**
 * Merges the edits of a node file into the newest state, as one change. Refused if it would tear later content. The value is true if anything had to
 * be done.
 */
export function decideNodeEdits(id: string, edits: NodeEdits): DecideRoot<boolean> {
  return (state, editor) => {
    const node = presentNode(state, id);
    if (node === undefined) {
      return refuse({ reason: 'node-deleted', node: id, deleted: id });
    }
    const ops: RootOp[] = [];
    const texts = new Map<string, string>();
    for (const { block: blockId, from, to } of edits.texts) {
      const current = textIn(node, blockId);
      if (current === undefined) return refuseGone(blockId);
      const splices = mergeText(from, current, cleanText(to));
      if (splices.length === 0) continue;
      // As with every edit: it begins a pending block.
      if (state.block(blockId)?.status === 'pending') ops.push({ type: 'status', block: blockId, status: 'running' });
      const tools = editor();
      const unit = `edit-${state.seq + 1}`;
      const plan = tools.open(state, blockId).planEdit(tools.client, splices);
      ops.push({
        type: 'text',
        block: blockId,
        splices: plan.splices,
        unit,
        client: tools.client,
        update: plan.update,
      });
      texts.set(blockId, spliceText(current, plan.splices));
    }
    const unfinished = edits.contents.length + edits.additions.length > 0 && refuseUnfinished(state, node);
    if (unfinished) return unfinished;
    for (const { block: blockId, from, to } of edits.contents) {
      const current = node.blocks.find((block) => block.block_id === blockId);
      if (current === undefined) return refuseGone(blockId);
      const content = contentFields(to);
      if (stableDeepEqual(contentFields(current), content)) continue;
      if (!stableDeepEqual(contentFields(current), from)) {
        return refuse({ reason: 'changed-since', ids: [blockId], what: 'changed' });
      }
      const { provider } = current;
      const changed = { ...content, ...(provider === undefined ? {} : { provider }), block_id: blockId };
      const fit = schemaOf(node.role).safeParse(changed);
      if (!fit.success) return refuseParams(fit.error, [blockId]);
      ops.push({ type: 'block-changed', block: messageBlock.parse(changed) });
    }
    for (const [index, { after, text }] of edits.additions.entries()) {
      const place = node.blocks.findIndex((block) => block.block_id === after);
      if (after !== undefined && place === -1) return refuseGone(after);
      const block = { type: 'text' as const, text: cleanText(text), block_id: state.newBlockId(filesystemAgent) };
      // They come in the order of the file: all earlier ones stand before this one.
      ops.push({ type: 'block-added', node: id, index: place + 1 + index, block });
    }
    if (texts.size > 0 && edits.additions.length === 0 && saysNothing(node, texts)) {
      return refuse({ reason: 'empty-message', node: id });
    }
    const set = changedFields(node, edits.fields);
    if (Object.keys(set).length > 0) ops.push({ type: 'node-changed', node: id, set });
    return { ok: true, ops, value: ops.length > 0 };
  };
}

type RootChange = Extract<RootOp, { type: 'root-changed' }>;

/** Merges the edits of a root's own file into the newest state. */
export function decideRootEdits(edits: Pick<RootChange, 'title' | 'tags' | 'config'>): DecideRoot<boolean> {
  return (state) => {
    const op: RootChange = { type: 'root-changed' };
    if (edits.title !== undefined && (state.title ?? null) !== edits.title) op.title = edits.title;
    if (edits.tags !== undefined && !stableDeepEqual(state.tags, edits.tags ?? [])) op.tags = edits.tags;
    if (edits.config !== undefined && !stableDeepEqual(state.config, edits.config)) op.config = edits.config;
    const isNothing = Object.keys(op).length === 1;
    return { ok: true, ops: isNothing ? [] : [op], value: !isNothing };
  };
}

function textIn(node: NodeState, id: string): string | undefined {
  const block = node.blocks.find((other) => other.block_id === id);
  return block && editableText(block);
}

/** Returns true if an agent is still at work on a node. */
export function isBeingWritten(state: RootState, node: NodeState): boolean {
  const isLive = node.turn !== undefined && state.liveTurns.has(node.turn);
  return isLive || node.blocks.some(({ status }) => status === 'pending' || status === 'running');
}

function schemaOf(role: NodeState['role']) {
  return { user: userBlock, assistant: assistantBlock, tool: toolBlock }[role];
}

function saysNothing(node: NodeState, texts: ReadonlyMap<string, string>): boolean {
  if (node.role === 'tool') return false;
  return node.blocks.every((block) => block.type === 'text' && isBlank(texts.get(block.block_id ?? '') ?? block.text));
}

/** Returns the fields that differ from the node's. */
function changedFields(node: NodeState, { title, tags, custom_data }: NodeEdits['fields']): NodeFields {
  const set: NodeFields = {};
  if (title !== undefined && (node.title ?? null) !== title) set.title = title === '' ? null : title;
  if (tags !== undefined && !stableDeepEqual(node.tags ?? null, tags)) set.tags = emptyToNull(tags);
  if (custom_data !== undefined && !stableDeepEqual(node.custom_data ?? null, custom_data))
    set.custom_data = custom_data;
  return set;
}

function emptyToNull(tags: readonly string[] | null): string[] | null {
  return tags === null || tags.length === 0 ? null : [...new Set(tags)];
}

function refuseGone(block: string): Refused {
  return refuse({ reason: 'block-not-found', block });
}
