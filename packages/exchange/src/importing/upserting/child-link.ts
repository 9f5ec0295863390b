import type { ConversationBlock } from '@loom/blocks';
import type { RootState } from '@loom/kernel';
import type { Decision, RootOp } from '@loom/kernel/logs';
import { joinNote } from '../import-note.ts';
import { awaitedIn, withoutAwaited } from '../root-facts.ts';

/** Adds the conversation of a sub-agent to the result of the call that started it, once. The value has no node if the result does not exist yet. */
export function decideChildLink(
  state: RootState,
  { agent, name, call, root }: { agent: string; name: string; call: string; root: string },
): Decision<RootOp, { node?: string }> {
  const node = [...state.nodes.values()].find(({ tool_call_id: id, role }) => role === 'tool' && id === call);
  if (node === undefined) return { ok: true, ops: [], value: {} };
  const key = `conversation ${root}`;
  const keys = node.note?.['keys'];
  const isNoted = typeof keys === 'object' && keys !== null && Object.hasOwn(keys, key);
  // A live turn has linked the conversation itself.
  const isThere = isNoted || node.blocks.some((block) => block.type === 'conversation' && block.root === root);
  const met: RootOp[] = awaitedIn(state.config).has(name)
    ? [{ type: 'root-changed', config: withoutAwaited(state.config, name) }]
    : [];
  if (isThere || node.deleted === true) return { ok: true, ops: met, value: { node: node.id }, time: state.updated };
  const block = { type: 'conversation' as const, root, block_id: state.newBlockId(agent), status: 'done' as const };
  return {
    ok: true,
    ops: [
      { type: 'block-added', node: node.id, index: node.blocks.length, block },
      { type: 'node-changed', node: node.id, set: { note: joinNote(node, new Map([[key, block.block_id]])) } },
      ...met,
    ],
    value: { node: node.id },
    time: state.updated,
  };
}

/** A block that links to the conversation of a sub-agent by its id before the export. */
export interface MovedChild {
  readonly node: string;
  readonly block: ConversationBlock;
  /** Its root here. */
  readonly root: string;
}

/** Returns the blocks of a conversation exported by Loom whose sub-agents are here now, under new ids. */
export function movedChildren(state: RootState, find: (root: string) => string | undefined): MovedChild[] {
  return [...state.nodes.values()].flatMap(({ id: node, blocks, deleted }) =>
    blocks.flatMap((block) => {
      const root = block.type === 'conversation' ? find(block.root) : undefined;
      if (block.type !== 'conversation' || root === undefined || root === block.root || deleted === true) return [];
      return [{ node, block, root }];
    }),
  );
}

/** Links to a sub-agent by the id of its conversation here. */
export function decideMovedChild(
  state: RootState,
  { node, block, root }: MovedChild,
): Decision<RootOp, { node?: string }> {
  const isThere = state.nodes.get(node)?.blocks.some(({ block_id: id }) => id === block.block_id) === true;
  const ops: RootOp[] = isThere ? [{ type: 'block-changed', block: { ...block, root } }] : [];
  return { ok: true, ops, value: isThere ? { node } : {}, time: state.updated };
}

/** Notes the node that started a sub-agent in the sub-agent's conversation. */
export function decideSender(state: RootState, sender: string): Decision<RootOp, { root: string }> {
  const config = { ...state.config, sender };
  const ops: RootOp[] = state.config['sender'] === sender ? [] : [{ type: 'root-changed', config }];
  return { ok: true, ops, value: { root: state.id }, time: state.updated };
}
