import type { MessageBlock } from '@loom/blocks';
import type { Decision } from '../log.ts';
import type { NodeState } from '../node-state.ts';
import type { RootOp } from '../op.ts';
import type { RootState, TurnState } from '../root-state.ts';
import { decideEnd, interruptBegun, interruptBlock, noHolder, nodesOfTurn } from './turn-decisions.ts';

/**
 * What becomes of a turn whose process is gone. Calls that may have begun are answered as interrupted and never begun
 * again. If calls still wait for a person the turn stays open, and the process that logs the decision goes on with it; else it ends.
 * An open turn is taken from its former process: should that one only have been asleep, it may not write any more.
 */
export function decideRecovery(
  state: RootState,
  turn: string,
  needsPerson: (node: NodeState) => boolean,
): Decision<RootOp, { open: boolean }> {
  const running = state.turns.get(turn);
  if (running === undefined || running.ended !== undefined) return { ok: true, ops: [], value: { open: false } };
  if (!waitsForPerson(state, running, needsPerson)) {
    const ended = decideEnd(state, turn, 'interrupted');
    return ended.ok ? { ok: true, ops: ended.ops, value: { open: false } } : ended;
  }
  const ops = interruptBegun(state, running);
  if (running.holder !== noHolder) ops.push({ type: 'turn-taken', turn, holder: noHolder });
  return { ok: true, ops, value: { open: true } };
}

/** Blocks that an agent was writing without a turn, through the block tools. One that is pending was not begun. */
export function blocksWithoutTurn(state: RootState): MessageBlock[] {
  return [...state.nodes.values()]
    .filter(({ turn }) => turn === undefined || !state.liveTurns.has(turn))
    .flatMap(({ blocks }) => blocks.filter(({ status }) => status === 'running'));
}

/** After a crash no agent goes on writing them. */
export function decideInterruptBlocks(state: RootState): Decision<RootOp, null> {
  return { ok: true, ops: blocksWithoutTurn(state).map((block) => interruptBlock(block)), value: null };
}

/** Whether a decision is missing. One that was made but not acted upon does not count: no process is left to act upon it. */
function waitsForPerson(state: RootState, turn: TurnState, needsPerson: (node: NodeState) => boolean): boolean {
  return nodesOfTurn(state, turn).some(
    (node) => node.tool === 'waiting' && !state.approvals.has(node.id) && needsPerson(node),
  );
}
