import { editableText } from '@loom/blocks';
import type { NodeState } from '../node-state.ts';
import { CutTexts } from './cut-texts.ts';
import { asSaid, EqualChildren } from './equal-children.ts';
import { LeafOrder } from './leaf-order.ts';
import type { Leaf } from './leaf-order.ts';
import { UsageSum } from './usage-sum.ts';

/**
 * Looks up facts for operations on a tree instead of searching for them, so that their work does not grow with the number of
 * nodes. Follows every change of a node; reduced from the log like everything else.
 */
export class TreeIndex {
  readonly equalChildren = new EqualChildren();
  readonly saidChildren = new EqualChildren(asSaid);
  readonly cutTexts = new CutTexts();
  readonly leaves = new LeafOrder();
  readonly usage = new UsageSum();
  /** The nodes of calls that wait for a person. */
  readonly waitingCalls = new Set<string>();
  /** The drafts, removed ones too, in the order in which they were made. */
  readonly drafts = new Set<string>();
  readonly #root: string;
  readonly #links = new Map<string, Link>();
  #rootChildren = 0;
  readonly #results = new Map<string, Set<string>>();
  readonly #excluders = new Map<string, Set<string>>();
  /** Links that carry this mark are known to be seen; others may be seen as well. */
  #seen = 1;
  /** The number of visible nodes, as long as that is known without counting. */
  #visibleCount: number | undefined = 0;
  #textLength = 0;
  /** The number of leaves that are hidden with something above them, as long as that is known. */
  #hiddenLeaves: number | undefined = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The way up from a node, without looking up an id at each step. */
  linkOf(id: string): Link | undefined {
    return this.#links.get(id);
  }

  /** The amount in memory, in nodes: texts count as the nodes that take as much room. */
  get weight(): number {
    return this.#links.size + this.#textLength / textPerNode;
  }

  /** Returns the number of a node's children that are not tombstones. */
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

  /** Returns the number of visible nodes; lists them only after a whole subtree came or went. */
  visibleCount(list: () => readonly { id: string }[]): number {
    if (this.#visibleCount === undefined) {
      const nodes = list();
      // From now on those that come and go are counted, so all that they hang on must be known.
      for (const { id } of nodes) this.#markSeen(id, true);
      this.#visibleCount = nodes.length;
    }
    return this.#visibleCount;
  }

  /**
   * Returns the number of branches that end in a visible node; goes through them only after a whole subtree came or went.
   */
  visibleLeafCount(isVisible: (id: string) => boolean): number {
    this.#hiddenLeaves ??= [...this.leaves.newestFirst()].filter((id) => !isVisible(id)).length;
    return this.leaves.count - this.#hiddenLeaves;
  }

  /** Takes note of a node that was added or replaced. */
  replace(before: NodeState | undefined, after: NodeState): void {
    // A draft is in no tree.
    if (after.draft === true) {
      this.drafts.add(after.id);
      return;
    }
    const link = this.#replaceLink(before, after);
    this.equalChildren.replace(before, after);
    this.saidChildren.replace(before, after);
    this.cutTexts.replace(before, after, (id) => this.#links.get(id)?.node);
    this.#replaceResult(before, after);
    this.#replaceExclusion(before, after);
    this.#replaceVisibility(before, after);
    this.#replaceCall(before, after);
    const [former, parent] = [liveParent(before), liveParent(after)];
    if (former !== parent) {
      if (former !== undefined) this.#loseChild(former, after.touched);
      if (parent !== undefined) this.#gainChild(parent);
    }
    if (parent === undefined) this.leaves.drop(link);
    else if (link.liveChildren === 0) this.leaves.touch(link, after.touched);
  }

  /** Takes in all nodes at once, each with the change that last made it active as a leaf. */
  load(nodes: Iterable<readonly [node: NodeState, leafSeq: number]>): void {
    const leaves: [link: Link, leafSeq: number][] = [];
    for (const [node, leafSeq] of nodes) {
      if (node.draft === true) this.drafts.add(node.id);
      else leaves.push([this.#replaceLink(undefined, node), leafSeq]);
    }
    for (const [link] of leaves) {
      const { node } = link;
      link.up = this.#links.get(node.parent);
      this.#replaceResult(undefined, node);
      this.#replaceExclusion(undefined, node);
      this.#replaceCall(undefined, node);
      this.cutTexts.replace(undefined, node, (id) => this.#links.get(id)?.node);
      if (node.deleted === true) continue;
      if (link.up === undefined) this.#rootChildren += 1;
      else link.up.liveChildren += 1;
    }
    const live = leaves.filter(([{ node, liveChildren }]) => node.deleted !== true && liveChildren === 0);
    for (const [link, leafSeq] of live.sort((a, b) => a[1] - b[1])) this.leaves.touch(link, leafSeq);
    this.#visibleCount = this.#markAllSeen(leaves.map(([link]) => link));
    this.#hiddenLeaves = undefined;
  }

  /** Marks the links that are seen, and returns how many they are. */
  #markAllSeen(links: readonly Link[]): number {
    const hidden = new Set<Link>();
    let count = 0;
    for (const link of links) {
      const walked: Link[] = [];
      let at: Link | undefined = link;
      while (at !== undefined && at.seen !== this.#seen && at.node.deleted !== true && !hidden.has(at)) {
        walked.push(at);
        at = at.up;
      }
      const isSeen = at === undefined || at.seen === this.#seen;
      for (const one of walked) {
        if (isSeen) one.seen = this.#seen;
        else hidden.add(one);
      }
      if (isSeen) count += walked.length;
    }
    return count;
  }

  #gainChild(parent: string): void {
    const link = this.#links.get(parent);
    if (link === undefined) {
      this.#rootChildren += 1;
      return;
    }
    link.liveChildren += 1;
    this.leaves.drop(link);
  }

  #loseChild(parent: string, seq: number): void {
    const link = this.#links.get(parent);
    if (link === undefined) {
      this.#rootChildren -= 1;
      return;
    }
    link.liveChildren -= 1;
    if (link.liveChildren === 0 && link.node.deleted !== true) this.leaves.touch(link, seq);
  }

  #replaceLink(before: NodeState | undefined, after: NodeState): Link {
    const known = this.#links.get(after.id);
    if (known === undefined) {
      const up = this.#links.get(after.parent);
      const link: Link = { node: after, up, liveChildren: 0, seen: 0, leafSeq: 0 };
      this.#links.set(after.id, link);
      return link;
    }
    known.node = after;
    if (before?.parent !== after.parent) known.up = this.#links.get(after.parent);
    return known;
  }

  #replaceResult(before: NodeState | undefined, after: NodeState): void {
    if (before === undefined && after.tool_call_id !== undefined) addTo(this.#results, after.tool_call_id, after.id);
  }

  #replaceExclusion(before: NodeState | undefined, after: NodeState): void {
    if (before?.exclude === after.exclude) return;
    for (const block of before?.exclude ?? []) this.#excluders.get(block)?.delete(after.id);
    for (const block of after.exclude ?? []) addTo(this.#excluders, block, after.id);
  }

  #replaceCall(before: NodeState | undefined, after: NodeState): void {
    this.usage.replace(before, after);
    this.#textLength += textLength(after) - textLength(before);
    if (after.tool === 'waiting' && after.ask !== undefined) this.waitingCalls.add(after.id);
    else this.waitingCalls.delete(after.id);
  }

  #replaceVisibility(before: NodeState | undefined, after: NodeState): void {
    const { id, parent } = after;
    if (before !== undefined && before.parent === parent && before.deleted === after.deleted) return;
    const [was, is] = [this.isKnownVisible(id), after.deleted !== true && this.isKnownVisible(parent)];
    const alone = this.liveChildCount(id) === 0;
    const known = before === undefined || before.deleted === true || was;
    if (was !== is && alone && known && this.#visibleCount !== undefined) this.#visibleCount += is ? 1 : -1;
    else if (was !== is || !known) this.#visibleCount = undefined;
    // A node visible before and after, such as a message that is cut in two, takes nothing below it out of sight or into it.
    if (!(was && is) && (!alone || !known || !(was || is))) this.#hiddenLeaves = undefined;
    // Below a node that goes out of sight nothing is known.
    if (was && !is && !alone) this.#seen += 1;
    this.#markSeen(id, is);
  }

  #markSeen(id: string, isSeen: boolean): void {
    const link = this.#links.get(id);
    if (link !== undefined) link.seen = isSeen ? this.#seen : 0;
  }
}

/** A node as it stands, and the one above it. */
export interface Link extends Leaf {
  node: NodeState;
  up: Link | undefined;
  liveChildren: number;
  /** Equals the current mark of the `TreeIndex` if the node is known to be visible. */
  seen: number;
}

const none: ReadonlySet<string> = new Set();

/** A node without a text takes some two kilobytes. */
const textPerNode = 2000;

function textLength(node: NodeState | undefined): number {
  let length = 0;
  for (const block of node?.blocks ?? []) length += editableText(block)?.length ?? 0;
  return length;
}

/** The parent that counts a node among its live children. */
function liveParent(node: NodeState | undefined): string | undefined {
  return node === undefined || node.deleted === true ? undefined : node.parent;
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
