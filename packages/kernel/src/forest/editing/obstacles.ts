import type { NodeState } from '../../state/node-state.ts';
import { refuse } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';
import { isAtOrBelow, pathTo } from '../../state/tree/tree.ts';

export function refuseMissingNode(id: string): Refused {
  return refuse({ reason: 'node-not-found', node: id });
}

/** The live turn that wrote a node, if there is one. */
export function liveTurnAt(state: RootState, id: string): string | undefined {
  const turn = state.nodes.get(id)?.turn;
  return turn !== undefined && state.liveTurns.has(turn) ? turn : undefined;
}

/** The live turn that answers a node, if there is one: its words will hang below what the node says now. */
export function liveTurnAnswering(state: RootState, id: string): string | undefined {
  return [...state.liveTurns].find((turn) => state.turns.get(turn)?.node === id);
}

/** Refuses to put anything below a node while a turn is writing there. */
export function refuseUnderTurn(state: RootState, parent: string): Refused | undefined {
  const live = liveTurnAt(state, parent);
  if (live === undefined) return undefined;
  return refuse({ reason: 'turn-live', turns: [live], node: parent, where: 'above' });
}

/** Refuses to alter a node's content while a turn or a block tool is writing it. */
export function refuseUnfinished(state: RootState, node: NodeState): Refused | undefined {
  const live = liveTurnAt(state, node.id);
  if (live !== undefined) return refuse({ reason: 'turn-live', turns: [live], node: node.id, where: 'node' });
  for (const { block_id: block = '', status } of node.blocks) {
    if (status === 'pending' || status === 'running')
      return refuse({ reason: 'bad-status', block, status, wanted: 'finished' });
  }
  return undefined;
}

/** Refuses to take a node with its subtree from its place while a turn writes there. */
export function refuseLiveTurns(state: RootState, top: string): Refused | undefined {
  const turns = [...state.liveTurns].filter((id) => {
    const turn = state.turns.get(id);
    return turn !== undefined && (liveTurnAt(state, top) === id || isAtOrBelow(state, turn.node, top));
  });
  if (turns.length === 0) return undefined;
  return refuse({ reason: 'turn-live', turns, node: top, where: 'inside' });
}

export function refuseBookmarked(nodes: string[]): Refused {
  return refuse({ reason: 'bookmarked', nodes });
}

/**
 * Refuses to hide a node with its subtree while a turn writes there or a bookmark protects it. Nodes below those that are
 * `leaving` in the same change stay in sight.
 */
export function refuseHiding(
  state: RootState,
  top: string,
  leaving: ReadonlySet<string> = new Set(),
): Refused | undefined {
  const marked = [...state.bookmarks.keys()].filter((marked) => {
    const nearest = pathTo(state, marked).findLast(({ id }) => id === top || leaving.has(id));
    return nearest?.id === top;
  });
  if (marked.length > 0) return refuseBookmarked(marked);
  return refuseLiveTurns(state, top);
}

/** The nodes that have a bookmark at or below them. */
export function protectedNodes(state: RootState): Set<string> {
  const found = new Set<string>();
  for (const marked of state.bookmarks.keys()) {
    let node = state.nodes.get(marked);
    for (; node !== undefined && !found.has(node.id); node = state.nodes.get(node.parent)) found.add(node.id);
  }
  return found;
}
