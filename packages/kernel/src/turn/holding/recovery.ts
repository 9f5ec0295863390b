import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { Decision } from '../../log/log-shape.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { Ask, RootOp } from '../../op.ts';
import type { RootState } from '../../state/root-state.ts';
import {
  callOf,
  decideEnd,
  interruptBegun,
  interruptBlock,
  isRunByProvider,
  noHolder,
  nodesOfTurn,
} from '../turn-decisions.ts';

/**
 * Decides the fate of a turn whose process is gone. Calls that may have begun are answered as interrupted and never begun
 * again. If calls still wait for a person the turn stays open, and the process that logs the decision goes on with it; else
 * it ends. An open turn is taken from its former process: should that one only have been asleep, it may no longer write.
 * `asks` holds what tools say of calls whose process was gone before it had written that down.
 */
export function decideRecovery(
  state: RootState,
  turn: string,
  asks: ReadonlyMap<string, Ask>,
): Decision<RootOp, { open: boolean }> {
  const running = state.turns.get(turn);
  if (running === undefined || running.ended !== undefined) return { ok: true, ops: [], value: { open: false } };
  const asked = nodesOfTurn(state, running).filter((node) => waitsForPerson(state, node, asks));
  if (asked.length === 0) {
    const ended = decideEnd(state, turn, 'interrupted');
    return ended.ok ? { ok: true, ops: ended.ops, value: { open: false } } : ended;
  }
  const ops = [...interruptBegun(state, running), ...asked.flatMap((node) => askAgain(node, asks))];
  if (running.holder !== noHolder) ops.push({ type: 'turn-taken', turn, holder: noHolder });
  return { ok: true, ops, value: { open: true } };
}

/** Blocks that an agent was writing without a turn, through the block tools. One that is pending was not begun. */
export function blocksWithoutTurn(state: RootState): MessageBlock[] {
  return [...state.nodes.values()]
    .filter(({ turn }) => turn === undefined || !state.liveTurns.has(turn))
    .flatMap(({ blocks }) => blocks.filter(({ status }) => status === 'running'));
}

/** Interrupts blocks that no agent goes on writing after a crash. */
export function decideInterruptBlocks(state: RootState): Decision<RootOp, null> {
  return { ok: true, ops: blocksWithoutTurn(state).map((block) => interruptBlock(block)), value: null };
}

/**
 * Returns true if a decision is missing. One that was made but not acted upon does not count: no process is left to act upon
 * it.
 */
function waitsForPerson(state: RootState, node: NodeState, asks: ReadonlyMap<string, Ask>): boolean {
  const { id, tool, ask } = node;
  if (tool !== 'waiting' || state.approvals.has(id) || (ask === undefined && !asks.has(id))) return false;
  // An agent that asked for itself is gone with its process.
  return !isRunByProvider(callOf(state, node));
}

/** Calls of a turn that were not begun, and of which it is not known whether they wait for a person. */
export function unaskedCalls(state: RootState, turn: string): { node: string; call: ToolUseBlock }[] {
  const running = state.turns.get(turn);
  const nodes = running === undefined || running.ended !== undefined ? [] : nodesOfTurn(state, running);
  return nodes.flatMap((node) => {
    if (node.tool !== 'waiting' || node.ask !== undefined || state.approvals.has(node.id)) return [];
    const call = callOf(state, node);
    return call === undefined ? [] : [{ node: node.id, call }];
  });
}

function askAgain({ id: node, ask: known }: NodeState, asks: ReadonlyMap<string, Ask>): RootOp[] {
  const ask = known === undefined ? asks.get(node) : undefined;
  return ask === undefined ? [] : [{ type: 'node-changed', node, set: { ask } }];
}
