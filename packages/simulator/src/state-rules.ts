import type { NodeState, RootState, TurnState } from '@loom/kernel';
import { needsPerson } from './fakes/fake-tools.ts';
import type { Report } from './violation.ts';

/** Checks that a turn leaves nothing open or unanswered once it is over. */
export function checkTurn(state: RootState, turn: TurnState, report: Report): void {
  if (turn.ended === undefined) return;
  const nodes = nodesOf(state, turn.id);
  for (const open of nodes.filter(isOpen)) report('closed', `${open.id} is open in ${turn.id}, which has ended`);
  checkPairs(nodes, report);
}

/** Checks that a turn that no process runs is live only because a user has to decide, and that nothing else of it is open. */
export function checkUnowned(state: RootState, turn: TurnState, report: Report): void {
  const nodes = nodesOf(state, turn.id);
  if (nodes.some((node) => node.tool === 'running' || hasOpenBlock(node))) {
    report('closed', `${turn.id} has something running, but no process runs it after recovery`);
  }
  if (!nodes.some((node) => awaitsPerson(state, node))) {
    report('closed', `${turn.id} waits for nothing, but is live after recovery`);
  }
}

/** Returns true if a call lacks only a user's decision. */
function awaitsPerson(state: RootState, node: NodeState): boolean {
  const name = node.source.type === 'tool_result' ? node.source.tool_name : '';
  return node.tool === 'waiting' && needsPerson(name) && !state.approvals.has(node.id);
}

/** Returns true if a question, by Loom or by an agent for its own call, has no user's decision yet. */
export function isAsked(state: RootState, node: NodeState): boolean {
  return (
    awaitsPerson(state, node) || (node.tool === 'waiting' && node.ask !== undefined && !state.approvals.has(node.id))
  );
}

function nodesOf(state: RootState, turn: string): NodeState[] {
  return [...state.nodes.values()].filter((node) => node.turn === turn);
}

function checkPairs(nodes: readonly NodeState[], report: Report): void {
  const answers = nodes.flatMap((node) => (node.role === 'tool' ? [node.tool_call_id] : []));
  for (const node of nodes) {
    for (const block of node.blocks) {
      if (block.type !== 'tool-use' || block.status !== 'done') continue;
      const count = answers.filter((id) => id === block.id).length;
      if (count !== 1) report('paired', `call ${block.id} of ${node.id} has ${count} results`);
    }
  }
}

function isOpen(node: NodeState): boolean {
  return node.tool === 'waiting' || node.tool === 'running' || hasOpenBlock(node);
}

function hasOpenBlock(node: NodeState): boolean {
  return node.blocks.some(({ status }) => status === 'running' || status === 'pending');
}
