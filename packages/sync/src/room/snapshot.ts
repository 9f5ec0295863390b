import type { NodeState, RootState, TurnState } from '@loom/kernel';
import { mostEndings } from '../frames.ts';
import type { RootView, Scope, Snapshot, TurnView } from '../frames.ts';
import { outlineOf } from './outline.ts';
import type { SentOutlineNode } from './outline.ts';
import { wireNode } from './wire-events.ts';

/** The limits of one page. */
export interface PageLimits {
  /** The number of nodes with their content. */
  nodes: number;
  /** All of them together, in UTF-16 units of JSON; a node that is larger is a separate page. */
  size: number;
  /** The number of nodes without their content. */
  outline: number;
}

export const defaultPages: PageLimits = { nodes: 100, size: 128_000, outline: 1000 };

/** The first page of a snapshot, and the nodes of the scope that are not in it. */
export interface FirstPage {
  snapshot: Snapshot;
  others: string[];
}

/**
 * Takes the first page for a client that wants a part of a conversation, or all of it: the end of the branch that its reader
 * looks at, by default the one where something happened last. A conversation that is small enough is sent whole.
 */
export function takeFirstPage(
  state: RootState,
  { scope, leaf, pages }: { scope: Scope; leaf?: string | undefined; pages: PageLimits },
): FirstPage {
  const all = nodesInScope(state, scope);
  const ids = new Set(all.map(({ id }) => id));
  const end = [leaf, ...state.recentLeaves(leavesTried).map(({ id }) => id), all.at(-1)?.id].find(
    (id) => id !== undefined && ids.has(id),
  );
  const path = end === undefined ? [] : state.pathTo(end).filter(({ id }) => ids.has(id));
  const page = new Page(pages);
  for (const node of path.reverse()) if (!page.add(node)) break;
  if (page.hasRoomFor(all.length)) for (const node of all) if (!page.add(node)) break;
  const nodes = all.filter(({ id }) => page.has(id)).map(wireNode);
  const others = all.flatMap(({ id }) => (page.has(id) ? [] : [id]));
  const drafts = state.drafts().map(wireNode);
  const snapshot: Snapshot = {
    root: viewRoot(state),
    nodes,
    others: others.length,
    ...(drafts.length === 0 ? {} : { drafts }),
  };
  return { snapshot: end === undefined ? snapshot : { ...snapshot, leaf: end }, others };
}

/** The number of branches looked at for one that is in the scope. */
const leavesTried = 100;

/** Returns the outline of some nodes, as far as they can be seen by now. */
export function takeOutline(state: RootState, ids: readonly string[]): SentOutlineNode[] {
  return ids.flatMap((id) => {
    const node = state.isVisible(id) ? state.nodes.get(id) : undefined;
    return node === undefined ? [] : [{ ...outlineOf(node), touched: node.touched }];
  });
}

/** Takes as many of some nodes as fit into a page, and those that cannot be seen by now. */
export function takeNodes(
  state: RootState,
  ids: readonly string[],
  pages: PageLimits,
): { nodes: NodeState[]; gone: string[] } {
  const page = new Page(pages);
  const nodes: NodeState[] = [];
  const gone: string[] = [];
  for (const id of ids) {
    const node = state.isVisible(id) ? state.nodes.get(id) : undefined;
    if (node === undefined) gone.push(id);
    else if (page.add(node)) nodes.push(wireNode(node));
    else break;
  }
  return { nodes, gone };
}

/** Nodes that are sent together. */
class Page {
  readonly #limits: PageLimits;
  readonly #ids = new Set<string>();
  #size = 0;

  constructor(limits: PageLimits) {
    this.#limits = limits;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  hasRoomFor(nodes: number): boolean {
    return nodes <= this.#limits.nodes;
  }

  /** Takes a node in, unless the page is full. */
  add(node: NodeState): boolean {
    if (this.#ids.has(node.id)) return true;
    const size = JSON.stringify(node).length;
    const isFull = this.#ids.size >= this.#limits.nodes || this.#size + size > this.#limits.size;
    if (isFull && this.#ids.size > 0) return false;
    this.#ids.add(node.id);
    this.#size += size;
    return true;
  }
}

function viewRoot(state: RootState): RootView {
  const { config, title, tags, deleted, archived, project, bookmarks, turns, liveTurns, waiting } = state;
  const view: RootView = {
    config,
    tags,
    deleted,
    ...(archived ? { archived } : {}),
    ...(project === undefined ? {} : { project }),
    bookmarks: Object.fromEntries(bookmarks),
    turns: [...liveTurns].flatMap((id) => {
      const turn = turns.get(id);
      if (turn === undefined) return [];
      return [turn.retrying === undefined ? viewTurn(turn) : { ...viewTurn(turn), retrying: turn.retrying }];
    }),
    endings: [...turns.values()]
      .flatMap((turn) => (turn.ended === undefined ? [] : [{ turn, ended: turn.ended }]))
      .sort((one, other) => one.ended.seq - other.ended.seq)
      .slice(-mostEndings)
      .map(({ turn, ended: { seq: _seq, ...ended } }) => ({ ...viewTurn(turn), ...ended })),
    waiting: [...waiting.values()].map(({ id, turn, kind, blocks }) => ({ id, turn, kind, blocks })),
  };
  return title === undefined ? view : { ...view, title };
}

function viewTurn({ id, node, provider, model, answer, batch, startedBy }: TurnState): TurnView {
  const more = {
    ...(answer === undefined ? {} : { answer }),
    ...(batch === undefined ? {} : { batch }),
    ...(startedBy === undefined ? {} : { started_by: startedBy }),
  };
  return { turn: id, node, provider, model, ...more };
}

/** The nodes that can be seen there, parents before children. */
function nodesInScope(state: RootState, scope: Scope): NodeState[] {
  if (scope === 'whole') return state.subtree(state.id);
  const top = 'path' in scope ? scope.path : scope.subtree;
  const above = 'path' in scope && state.isVisible(top) ? state.pathTo(top).slice(0, -1) : [];
  return [...above, ...(state.nodes.has(top) ? state.subtree(top) : [])];
}
