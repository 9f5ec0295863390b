import { buildContext } from '@loom/kernel';
import type { NodeState, RootState, TurnState } from '@loom/kernel';
import { describeFakeTools } from './fakes/fake-tools.ts';
import { simulatedHash } from './simulated-hash.ts';
import type { Report } from './violation.ts';

/**
 * Compares the prefixes of a turn's blocks with the context that its path gives now. A path that was edited while the turn ran proves nothing: its
 * model was shown the path before the edit.
 */
export function checkPrefixes(state: RootState, id: string, report: Report): void {
  const turn = state.turns.get(id);
  if (turn === undefined) return;
  const path = pathOfTurn(state, turn);
  if (path.some((node) => wasEdited(state, turn, node))) return;
  const { provider, model, tools } = turn;
  const { systemPrompt } = state.config;
  const head = { provider, model, tools: describeFakeTools(tools), ...(systemPrompt && { systemPrompt }) };
  const { invalid } = buildContext(path, head, simulatedHash);
  const own = new Set(path.filter((node) => node.turn === id).flatMap(({ blocks }) => blocks.map(idOf)));
  for (const block of invalid) {
    if (own.has(block)) report('prefix-exact', `${block} of ${id} does not follow what is shown before it`);
  }
}

/** The path to the last node of a turn. */
function pathOfTurn(state: RootState, turn: TurnState): NodeState[] {
  const last = [...state.nodes.values()].findLast((node) => node.turn === turn.id)?.id ?? turn.node;
  const path: NodeState[] = [];
  for (let node = state.nodes.get(last); node !== undefined; node = state.nodes.get(node.parent)) path.unshift(node);
  return path;
}

function wasEdited(state: RootState, turn: TurnState, node: NodeState): boolean {
  if (node.turn !== turn.id) return node.touched > turn.started;
  const agent = `${turn.provider}:${turn.model}`;
  return node.blocks.some(({ block_id = '' }) => state.texts.get(block_id)?.isEditedByOthers(agent) === true);
}

function idOf({ block_id = '' }: { block_id?: string }): string {
  return block_id;
}
