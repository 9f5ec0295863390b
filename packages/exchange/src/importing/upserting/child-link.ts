import type { RootState } from '@loom/kernel';
import type { Decision, RootOp } from '@loom/kernel/logs';
import { joinNote } from '../import-note.ts';

/** Adds the conversation of a sub-agent to the result of the call that sent it out, once. Without a node: there is no such result yet. */
export function decideChildLink(
  state: RootState,
  { agent, call, root }: { agent: string; call: string; root: string },
): Decision<RootOp, { node?: string }> {
  const node = [...state.nodes.values()].find(({ tool_call_id: id, role }) => role === 'tool' && id === call);
  if (node === undefined) return { ok: true, ops: [], value: {} };
  const key = `conversation ${root}`;
  const keys = node.note?.['keys'];
  const isThere = typeof keys === 'object' && keys !== null && Object.hasOwn(keys, key);
  if (isThere || node.deleted === true) return { ok: true, ops: [], value: { node: node.id } };
  const block = { type: 'conversation' as const, root, block_id: state.newBlockId(agent), status: 'done' as const };
  return {
    ok: true,
    ops: [
      { type: 'block-added', node: node.id, index: node.blocks.length, block },
      { type: 'node-changed', node: node.id, set: { note: joinNote(node, new Map([[key, block.block_id]])) } },
    ],
    value: { node: node.id },
    time: node.time,
  };
}

/** Notes in the conversation of a sub-agent which node it was sent out from. */
export function decideSender(state: RootState, sender: string): Decision<RootOp, { root: string }> {
  const config = { ...state.config, sender };
  const ops: RootOp[] = state.config['sender'] === sender ? [] : [{ type: 'root-changed', config }];
  return { ok: true, ops, value: { root: state.id }, time: state.updated };
}
