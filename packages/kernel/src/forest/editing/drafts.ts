import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import type { RootState } from '../../state/root-state.ts';
import { liveDraft } from '../../state/tree/tree.ts';
import { refuseMissingNode } from './obstacles.ts';

/** A text that a conversation holds beside its messages: a plan, a file in the making, a prompt that is not sent yet. */
export interface CreateDraftParams {
  title?: string;
  text: string;
}

export interface CreateDraftValue {
  node: string;
  block_id: string;
}

/** Adds a draft. It hangs nowhere, so branches and contexts never meet it. */
export function decideCreateDraft(
  state: RootState,
  agent: string,
  { title = '', text }: CreateDraftParams,
): Decision<RootOp, CreateDraftValue> {
  const [node, block] = [state.newNodeId(), state.newBlockId(agent)];
  const ops: RootOp[] = [
    {
      type: 'node-added',
      node: {
        id: node,
        parent: state.id,
        role: 'user',
        blocks: [{ type: 'text', text, block_id: block, status: 'done' }],
        source: { type: 'user' },
        draft: true,
      },
    },
  ];
  if (title !== '') ops.push({ type: 'node-changed', node, set: { title } });
  return { ok: true, ops, value: { node, block_id: block } };
}

/** Removes a draft. A tombstone hides it, so that an undo brings it back. */
export function decideRemoveDraft(state: RootState, node: string): Decision<RootOp, { node: string }> {
  if (liveDraft(state, node) === undefined) return refuseMissingNode(node);
  return { ok: true, ops: [{ type: 'node-removed', node }], value: { node } };
}
