import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { RootView, Scope, Snapshot } from './frames.ts';

/**
 * The nodes of a conversation that a client wants and can be seen, with what is known of their root. Nodes are replaced,
 * never altered.
 */
export class ConversationView {
  readonly id: string;
  readonly scope: Scope;
  root: RootView = { config: {}, tags: [], deleted: false, bookmarks: {}, turns: [], waiting: [] };
  readonly #nodes = new Map<string, NodeState>();
  readonly #nodeOfBlock = new Map<string, string>();

  constructor(id: string, scope: Scope) {
    this.id = id;
    this.scope = scope;
  }

  get nodes(): ReadonlyMap<string, NodeState> {
    return this.#nodes;
  }

  block(id: string): MessageBlock | undefined {
    const node = this.nodeOf(id);
    return node?.blocks.find((block) => block.block_id === id);
  }

  nodeOf(block: string): NodeState | undefined {
    return this.#nodes.get(this.#nodeOfBlock.get(block) ?? '');
  }

  reset({ root, nodes }: Snapshot): void {
    this.#nodes.clear();
    this.#nodeOfBlock.clear();
    this.root = root;
    for (const node of nodes) this.set(node);
  }

  set(node: NodeState): void {
    this.#unbook(this.#nodes.get(node.id));
    this.#nodes.set(node.id, { ...node, blocks: node.blocks.map(withoutPrefix) });
    for (const { block_id: id } of node.blocks) if (id !== undefined) this.#nodeOfBlock.set(id, node.id);
  }

  /** Drops what cannot be seen any more or is not wanted. False if nodes are missing that ought to be here. */
  prune(): boolean {
    const { scope } = this;
    const isPath = scope !== 'whole' && 'path' in scope;
    const top = scope === 'whole' ? this.id : 'path' in scope ? scope.path : scope.subtree;
    const { path, end } = isPath ? this.#pathTo(top) : { path: new Set<string>(), end: this.id };
    const isComplete = end === this.id || path.size === 0 || this.#nodes.has(end);
    const known = new Map<string, boolean>([[this.id, top === this.id]]);
    for (const id of this.#nodes.keys()) {
      const isWanted = end === this.id && (path.has(id) || this.#isBelow(id, top, known));
      if (!isWanted) this.#drop(id);
    }
    return isComplete;
  }

  /** The nodes from a node up, and where that ended: at the root, or at a node that is hidden or not here. */
  #pathTo(id: string): { path: Set<string>; end: string } {
    const path = new Set<string>();
    let end = id;
    for (let node = this.#nodes.get(end); node !== undefined && node.deleted !== true; node = this.#nodes.get(end)) {
      path.add(end);
      end = node.parent;
    }
    return { path, end };
  }

  /** Whether a node is at or below another one, with nothing hidden in between. What was found out is remembered. */
  #isBelow(id: string, top: string, known: Map<string, boolean>): boolean {
    const walked: string[] = [];
    let at = id;
    let found = known.get(at);
    while (found === undefined) {
      const node = this.#nodes.get(at);
      walked.push(at);
      if (node === undefined || node.deleted === true) found = false;
      else if (at === top) found = true;
      else found = known.get((at = node.parent));
    }
    for (const step of walked) known.set(step, found);
    return found;
  }

  #drop(id: string): void {
    this.#unbook(this.#nodes.get(id));
    this.#nodes.delete(id);
  }

  #unbook(node: NodeState | undefined): void {
    for (const { block_id: id = '' } of node?.blocks ?? []) {
      if (this.#nodeOfBlock.get(id) === node?.id) this.#nodeOfBlock.delete(id);
    }
  }
}

/** The hash of what its model was shown is the kernel's own affair, which the feed does not follow. */
function withoutPrefix(block: MessageBlock): MessageBlock {
  const { prefix: _prefix, ...rest } = block;
  return rest;
}
