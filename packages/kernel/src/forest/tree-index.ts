import type { NodeState } from '../node-state.ts';
import { EqualChildren } from './equal-children.ts';
import { LeafOrder } from './leaf-order.ts';

/**
 * What operations on a tree look up instead of searching for it, so that their work does not grow with the number of nodes.
 * Follows every change of a node; reduced from the log like everything else.
 */
export class TreeIndex {
  readonly equalChildren = new EqualChildren();
  readonly leaves = new LeafOrder();
  readonly #root: string;
  readonly #links = new Map<string, Link>();
  #rootChildren = 0;
  readonly #results = new Map<string, Set<string>>();
  readonly #excluders = new Map<string, Set<string>>();
  /** Links that carry this mark are known to be seen; others may be seen as well. */
  #seen = 1;
  /** How many nodes can be seen, as long as that is known without counting. */
  #visibleCount: number | undefined = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The way up from a node, without looking up an id at each step. */
  linkOf(id: string): Link | undefined {
    return this.#links.get(id);
  }

  /** How many children a node has that are no tombstones. */
  liveChildCount(id: string): number {
    return id === this.#root ? this.#rootChildren : (this.#links.get(id)?.liveChildren ?? 0);
  }

  /** The nodes that answer a call, tombstones included. */
  resultsOf(call: string): ReadonlySet<string> {
    return this.#results.get(call) ?? none;
  }

  /** The nodes that hide a block from models. */
  excludersOf(block: string): ReadonlySet<string> {
    return this.#excluders.get(block) ?? none;
  }

  isKnownVisible(id: string): boolean {
    return id === this.#root || this.#links.get(id)?.seen === this.#seen;
  }

  rememberVisible(ids: readonly string[]): void {
    for (const id of ids) this.#markSeen(id, true);
  }

  /** How many nodes can be seen; counted only after a whole subtree came or went. */
  visibleCount(count: () => number): number {
    this.#visibleCount ??= count();
    return this.#visibleCount;
  }

  /** Takes note of a node that was added or replaced, and when. */
  replace(before: NodeState | undefined, after: NodeState, time: number): void {
    this.#replaceLink(before, after, time);
    this.equalChildren.replace(before, after);
    this.#replaceResult(before, after);
    this.#replaceExclusion(before, after);
    this.#replaceVisibility(before, after);
    const [former, parent] = [liveParent(before), liveParent(after)];
    if (former !== parent) {
      if (former !== undefined) this.#loseChild(former);
      if (parent !== undefined) this.#gainChild(parent);
    }
    if (parent === undefined) this.leaves.drop(after.id);
    else if (this.liveChildCount(after.id) === 0) this.leaves.touch(after.id);
  }

  #gainChild(parent: string): void {
    this.#countChild(parent, 1);
    this.leaves.drop(parent);
  }

  #loseChild(parent: string): void {
    const count = this.#countChild(parent, -1);
    if (count === 0 && parent !== this.#root) this.leaves.touch(parent);
  }

  #countChild(parent: string, step: 1 | -1): number {
    const link = this.#links.get(parent);
    if (link === undefined) return (this.#rootChildren += step);
    return (link.liveChildren += step);
  }

  #replaceLink(before: NodeState | undefined, after: NodeState, altered: number): void {
    const link = this.#links.get(after.id);
    if (link === undefined) {
      this.#links.set(after.id, { node: after, up: this.#links.get(after.parent), altered, liveChildren: 0, seen: 0 });
    } else {
      link.node = after;
      link.altered = altered;
    }
    if (link !== undefined && before?.parent !== after.parent) link.up = this.#links.get(after.parent);
  }

  #replaceResult(before: NodeState | undefined, after: NodeState): void {
    if (before === undefined && after.tool_call_id !== undefined) addTo(this.#results, after.tool_call_id, after.id);
  }

  #replaceExclusion(before: NodeState | undefined, after: NodeState): void {
    if (before?.exclude === after.exclude) return;
    for (const block of before?.exclude ?? []) this.#excluders.get(block)?.delete(after.id);
    for (const block of after.exclude ?? []) addTo(this.#excluders, block, after.id);
  }

  #replaceVisibility(before: NodeState | undefined, after: NodeState): void {
    const { id, parent } = after;
    if (before !== undefined && before.parent === parent && before.deleted === after.deleted) return;
    const [was, is] = [this.isKnownVisible(id), after.deleted !== true && this.isKnownVisible(parent)];
    const alone = this.liveChildCount(id) === 0;
    const known = before === undefined || before.deleted === true || was;
    if (was !== is && alone && known && this.#visibleCount !== undefined) this.#visibleCount += is ? 1 : -1;
    else if (was !== is || !known) this.#visibleCount = undefined;
    // Below a node that goes out of sight nothing is known any more.
    if (was && !is && !alone) this.#seen += 1;
    this.#markSeen(id, is);
  }

  #markSeen(id: string, isSeen: boolean): void {
    const link = this.#links.get(id);
    if (link !== undefined) link.seen = isSeen ? this.#seen : 0;
  }
}

/** A node as it stands, and the one above it. */
export interface Link {
  node: NodeState;
  up: Link | undefined;
  /** When the node was last altered, in milliseconds since 1970. */
  altered: number;
  liveChildren: number;
  /** Whether it is known to be seen: `TreeIndex` knows the mark that says so. */
  seen: number;
}

const none: ReadonlySet<string> = new Set();

/** The parent that counts a node among its live children. */
function liveParent(node: NodeState | undefined): string | undefined {
  return node === undefined || node.deleted === true ? undefined : node.parent;
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
