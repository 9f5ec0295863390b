import { copyBlock } from '../../state/block-record.ts';
import type { MessageBlock } from '@loom/blocks';
import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';

/** Asks a model for a summary from which a conversation can go on. */
export const summaryPrompt = `Sum up our conversation so far, so that it can go on from your summary alone. Keep what was asked for, what was decided and why, what was found, what is left to do, and every name, number, path and piece of code that is still needed. Use no tools. Answer with the summary alone.`;

/** Writers of a turn that has its conversation summed up: where it stands, and in whose name. */
export interface SummaryScope {
  turn: string;
  agent: string;
}

/** Puts the request for a summary below a node. Returns its node. */
export function decideAsk(state: RootState, { turn, agent }: SummaryScope, parent: string): Decision<RootOp, string> {
  const id = state.newNodeId();
  const block: MessageBlock = { type: 'text', text: summaryPrompt, block_id: state.newBlockId(agent), status: 'done' };
  const node = { id, parent, role: 'user' as const, blocks: [block], source: { type: 'user' as const }, turn };
  return { ok: true, ops: [{ type: 'node-added', node }], value: id };
}

/**
 * Shows models the conversation from the request for a summary on, and says what they are to go on with: the words of the
 * message that was to be answered, if there is one.
 */
export function decideAccept(
  state: RootState,
  { turn, agent }: SummaryScope,
  { ask, summary, last }: { ask: string; summary: string; last: NodeState | undefined },
): Decision<RootOp, null> {
  const unanswered = last?.role === 'user' ? last.blocks : [];
  const words = unanswered.length === 0 ? goOn : `${goOn} This is the message to answer:`;
  const said: MessageBlock = { type: 'text', text: words, block_id: state.newBlockId(agent), status: 'done' };
  const blocks = [said, ...unanswered.map((block) => copyBlock(block, state.newBlockId(agent)))];
  const node = { id: state.newNodeId(), parent: summary, role: 'user' as const, blocks, turn };
  return {
    ok: true,
    ops: [
      { type: 'node-changed', node: ask, set: { context_start: true } },
      { type: 'node-added', node: { ...node, source: { type: 'user' } } },
    ],
    value: null,
  };
}

/** Takes a summary that did not reach its end out of sight, with the request for it. */
export function decideDrop(ask: string): Decision<RootOp, null> {
  return { ok: true, ops: [{ type: 'node-removed', node: ask }], value: null };
}

const goOn = 'Go on from your summary.';
