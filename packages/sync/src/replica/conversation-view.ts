import type { MessageBlock } from '@loom/blocks';
import type { Cursor, NodeChanges, NodeState } from '@loom/kernel';
import { FeedPlace } from '../feed-place.ts';
import type { RootView, Scope, Snapshot } from '../frames.ts';
import { setNodeFields } from '../room/node-changes.ts';
import { isSameOutline, outlineOf } from '../room/outline.ts';
import type { OutlineNode, SentOutlineNode } from '../room/outline.ts';

/**
 * The visible nodes of a conversation that a client wants, with the facts about their root: all of them by their outline,
 * those that were sent with their content. Nodes and blocks are replaced, never altered; unchanged ones stay one and the
 * same object.
 */
export class ConversationView {
  readonly id: string;
  readonly scope: Scope;
  /** The place in the log that this view shows. */
  readonly place = new FeedPlace();
  root: RootView = emptyRoot;
  readonly #outline = new Map<string, OutlineNode>();
  readonly #nodes = new Map<string, NodeState>();
  readonly #drafts = new Map<string, NodeState>();
  readonly #nodeOfBlock = new Map<string, string>();
  /** The view known before; unchanged parts of it are taken over. */
  #former: ConversationView | undefined;
  /** Nodes that were known with their content, and have changed since. */
  readonly #stale = new Set<string>();
  #isOutlined = false;
  #changed = new Set<string>();

  constructor(id: string, scope: Scope) {
    this.id = id;
    this.scope = scope;
  }

  /** The nodes with their content, as far as they were sent. */
  get nodes(): ReadonlyMap<string, NodeState> {
    return this.#nodes;
  }

  /** Texts that the conversation holds beside its messages, in the order in which they were made. */
  get drafts(): ReadonlyMap<string, NodeState> {
    return this.#drafts;
  }

  /** All nodes, without their content. */
  get outline(): ReadonlyMap<string, OutlineNode> {
    return this.#outline;
  }

  /** True if the outline holds every node. */
  get isOutlined(): boolean {
    return this.#isOutlined;
  }

  /** Nodes that have to be sent before this can take the place of the former view. */
  get stale(): ReadonlySet<string> {
    return this.#stale;
  }

  /** True if every node is here with its content. */
  get isWhole(): boolean {
    return this.#isOutlined && this.#nodes.size === this.#outline.size;
  }

  block(id: string): MessageBlock | undefined {
    return this.nodeOf(id)?.blocks.find((block) => block.block_id === id);
  }

  nodeOf(block: string): NodeState | undefined {
    const id = this.#nodeOfBlock.get(block) ?? '';
    return this.#nodes.get(id) ?? this.#drafts.get(id);
  }

  /** Begins with the first page of a snapshot. */
  begin({ root, nodes, others, drafts = [] }: Snapshot, cursor: Cursor, former: ConversationView): void {
    this.root = root;
    this.place.move(cursor);
    this.#former = former.place.cursor?.epoch === cursor.epoch ? former : undefined;
    for (const node of nodes) this.#take(node);
    for (const draft of drafts) this.setDraft(keepIdentity(this.#former?.drafts.get(draft.id), draft));
    if (others === 0) this.#completeOutline();
  }

  /** Adds pages of the outline; listeners hear of all of them with the last page. */
  addOutline(nodes: readonly SentOutlineNode[], isLast: boolean): void {
    for (const { touched, ...outline } of nodes) {
      const { id } = outline;
      if (this.#nodes.has(id)) continue;
      const before = this.#former?.nodes.get(id);
      if (before?.touched === touched) this.set(before);
      else this.#keepOutline(outline);
      if (before !== undefined && before.touched !== touched) this.#stale.add(id);
    }
    if (isLast) this.#completeOutline();
  }

  /** Nodes that were asked for. */
  addNodes(nodes: readonly NodeState[], gone: readonly string[]): void {
    for (const node of nodes) if (this.#outline.has(node.id)) this.#take(node);
    for (const id of gone) this.drop(id);
  }

  /** Ends taking over from the former view. Returns the ids of nodes and blocks that are other ones than before. */
  replace(former: ConversationView): Set<string> {
    this.#former = undefined;
    const changed = new Set<string>();
    for (const id of new Set([...former.nodes.keys(), ...this.#nodes.keys()])) {
      const [before, after] = [former.nodes.get(id), this.#nodes.get(id)];
      if (before !== after) for (const other of differences(before, after)) changed.add(other);
    }
    for (const id of new Set([...former.drafts.keys(), ...this.#drafts.keys()])) {
      const [before, after] = [former.drafts.get(id), this.#drafts.get(id)];
      if (before !== after) for (const other of differences(before, after)) changed.add(other).add(draftsKey);
    }
    this.#changed.clear();
    return changed.add(outlineKey);
  }

  /** The ids of nodes and blocks that have changed since the last time. */
  takeChanged(): Set<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  set(node: NodeState): void {
    const before = this.#nodes.get(node.id);
    for (const id of differences(before, node)) this.#changed.add(id);
    this.#unbook(before);
    this.#stale.delete(node.id);
    this.#nodes.set(node.id, node);
    this.#setOutline(outlineOf(node));
    for (const { block_id: id } of node.blocks) if (id !== undefined) this.#nodeOfBlock.set(id, node.id);
  }

  /** A draft that came or changed. The outline and the nodes never have it. */
  setDraft(draft: NodeState): void {
    const before = this.#drafts.get(draft.id);
    for (const id of differences(before, draft)) this.#changed.add(id).add(draftsKey);
    this.#unbook(before);
    this.#drafts.set(draft.id, draft);
    for (const { block_id: id } of draft.blocks) if (id !== undefined) this.#nodeOfBlock.set(id, draft.id);
  }

  dropDraft(id: string): void {
    const before = this.#drafts.get(id);
    for (const other of differences(before, undefined)) this.#changed.add(other).add(draftsKey);
    this.#unbook(before);
    this.#drafts.delete(id);
  }

  /** Changes the outline of a node. */
  setOutline(id: string, set: NodeChanges['set']): void {
    const known = this.#outline.get(id);
    if (known !== undefined) this.#setOutline(outlineOf(setNodeFields(known, set)));
  }

  drop(id: string): void {
    const node = this.#nodes.get(id);
    for (const other of differences(node, undefined)) this.#changed.add(other);
    this.#unbook(node);
    this.#nodes.delete(id);
    this.#stale.delete(id);
    if (this.#outline.delete(id)) this.#changed.add(outlineKey);
  }

  /**
   * Drops nodes that can no longer be seen or are not wanted. False if nodes are missing that ought to be here. As long as
   * the outline has gaps, that is not known, and nothing happens.
   */
  prune(): boolean {
    if (!this.#isOutlined) return true;
    const { scope } = this;
    const isPath = scope !== 'whole' && 'path' in scope;
    const top = scope === 'whole' ? this.id : 'path' in scope ? scope.path : scope.subtree;
    const { path, end } = isPath ? this.#pathTo(top) : { path: new Set<string>(), end: this.id };
    const isComplete = end === this.id || path.size === 0;
    const known = new Map<string, boolean>([[this.id, top === this.id]]);
    for (const id of this.#outline.keys()) {
      const isWanted = end === this.id && (path.has(id) || this.#isBelow(id, top, known));
      if (!isWanted) this.drop(id);
    }
    return isComplete;
  }

  /** Takes in a node that was sent. */
  #take(node: NodeState): void {
    this.set(keepIdentity(this.#nodes.get(node.id) ?? this.#former?.nodes.get(node.id), node));
  }

  #completeOutline(): void {
    this.#isOutlined = true;
    this.#changed.add(outlineKey);
    this.prune();
  }

  #setOutline(outline: OutlineNode): void {
    if (this.#keepOutline(outline)) this.#changed.add(outlineKey);
  }

  /** Keeps an outline; returns true if it is another one than before. */
  #keepOutline(outline: OutlineNode): boolean {
    const before = this.#outline.get(outline.id);
    const known = before ?? this.#former?.outline.get(outline.id);
    const kept = known !== undefined && isSameOutline(known, outline) ? known : outline;
    this.#outline.set(outline.id, kept);
    return before !== kept;
  }

  /** The nodes from a node up, and where that ended: at the root, or at a node that is not here. */
  #pathTo(id: string): { path: Set<string>; end: string } {
    const path = new Set<string>();
    let end = id;
    for (let node = this.#outline.get(end); node !== undefined; node = this.#outline.get(end)) {
      path.add(end);
      end = node.parent;
    }
    return { path, end };
  }

  /** Returns true if a node is at or below another one, with nothing missing in between. Results are remembered. */
  #isBelow(id: string, top: string, known: Map<string, boolean>): boolean {
    const walked: string[] = [];
    let at = id;
    let found = known.get(at);
    while (found === undefined) {
      const node = this.#outline.get(at);
      walked.push(at);
      if (node === undefined) found = false;
      else if (at === top) found = true;
      else found = known.get((at = node.parent));
    }
    for (const step of walked) known.set(step, found);
    return found;
  }

  #unbook(node: NodeState | undefined): void {
    for (const { block_id: id = '' } of node?.blocks ?? []) {
      if (this.#nodeOfBlock.get(id) === node?.id) this.#nodeOfBlock.delete(id);
    }
  }
}

/** Stands among changed ids for the outline. */
export const outlineKey = 'outline';

/** Stands among changed ids for the drafts. */
export const draftsKey = 'drafts';

const emptyRoot: RootView = {
  config: {},
  tags: [],
  deleted: false,
  bookmarks: {},
  turns: [],
  endings: [],
  waiting: [],
};

/** Returns the ids of a node and its blocks, as far as they are other objects. */
function differences(before: NodeState | undefined, after: NodeState | undefined): string[] {
  if (before === after) return [];
  const blocks = new Map((before?.blocks ?? []).map((block) => [block.block_id ?? '', block]));
  const changed = (after?.blocks ?? []).flatMap((block) => {
    const id = block.block_id ?? '';
    const known = blocks.get(id);
    blocks.delete(id);
    return known === block ? [] : [id];
  });
  return [before?.id ?? after?.id ?? '', ...changed, ...blocks.keys()];
}

/**
 * Returns a node that was sent, reusing the known objects for its unchanged parts. Between changes, a version of a block is
 * always the same.
 */
function keepIdentity(before: NodeState | undefined, node: NodeState): NodeState {
  if (before === undefined) return node;
  if (before.touched === node.touched) return before;
  const known = new Map(before.blocks.map((block) => [block.block_id, block]));
  const blocks = node.blocks.map((block) => {
    const same = known.get(block.block_id);
    return same !== undefined && same.version === block.version ? same : block;
  });
  return { ...node, blocks };
}
