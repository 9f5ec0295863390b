import type { NodeState, RootState } from '@loom/kernel';
import type { RootView, Scope, Snapshot } from './frames.ts';

/** What a client begins with that wants a part of a conversation, or all of it. */
export function takeSnapshot(state: RootState, scope: Scope): Snapshot {
  return { root: viewRoot(state), nodes: nodesInScope(state, scope) };
}

function viewRoot(state: RootState): RootView {
  const { config, title, tags, deleted, bookmarks, turns, liveTurns, waiting } = state;
  const view: RootView = {
    config,
    tags,
    deleted,
    bookmarks: Object.fromEntries(bookmarks),
    turns: [...liveTurns].flatMap((id) => {
      const turn = turns.get(id);
      return turn === undefined ? [] : [{ turn: id, node: turn.node, provider: turn.provider, model: turn.model }];
    }),
    waiting: [...waiting.values()].map(({ id, turn, kind, blocks }) => ({ id, turn, kind, blocks })),
  };
  return title === undefined ? view : { ...view, title };
}

/** The nodes that can be seen there, parents before children. */
function nodesInScope(state: RootState, scope: Scope): NodeState[] {
  if (scope === 'whole') return nodesBelow(state, state.id);
  const top = 'path' in scope ? scope.path : scope.subtree;
  const path = pathTo(state, top);
  const last = path?.at(-1);
  if (path === undefined || last === undefined) return [];
  return [...('path' in scope ? path : [last]), ...nodesBelow(state, top)];
}

/** The nodes from the first level down to a node, or `undefined` if it cannot be seen. */
function pathTo(state: RootState, id: string): NodeState[] | undefined {
  const path: NodeState[] = [];
  for (let at = id; at !== state.id;) {
    const node = state.nodes.get(at);
    if (node === undefined || node.deleted === true) return undefined;
    path.push(node);
    at = node.parent;
  }
  return path.reverse();
}

function nodesBelow(state: RootState, top: string): NodeState[] {
  const found: NodeState[] = [];
  // A stack, not recursion: conversations are deeper than call stacks.
  const pending = [top];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const id of (state.children.get(next) ?? []).toReversed()) {
      const node = state.nodes.get(id);
      if (node !== undefined && node.deleted !== true) pending.push(id);
    }
    const node = next === top ? undefined : state.nodes.get(next);
    if (node !== undefined) found.push(node);
  }
  return found;
}
