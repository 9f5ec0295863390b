import type { EditingParts, FollowedConversation, LoomClient } from '@loom/client';
import type { ReplicaChange } from '@loom/sync';
import type { NodeState } from '@loom/kernel';
import { GrowingShape, pathTo, shapeOf, siblingsOf, tipBelow } from './branches.ts';
import type { Shape } from './branches.ts';
import { Rows } from './rows.ts';
import type { HideableKind } from '../blocks/kinds/block-kinds.ts';
import type { Row, WantedBlock } from './rows.ts';
import { BranchTurns } from './branch-turns.ts';
import { notShown } from './shown-to-models.ts';
import type { NotShown } from './shown-to-models.ts';
import { SlowStore } from '../stores/slow-store.ts';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';

interface OpenOptions {
  client: LoomClient;
  root: string;
  /** The node to show, with the branch that goes through it. */
  node: string | undefined;
  /** A new branch begins behind the node. */
  isNewBranch?: boolean;
  isShown: ReadableStore<(kind: HideableKind) => boolean>;
  onSignedOut: () => void;
}

/** The whole conversation and the branch that is shown. */
export interface Overview {
  readonly shape: Shape;
  readonly path: readonly string[];
}

/** The interval of updates while more arrives, in milliseconds: to draw all of a long conversation takes several. */
const overviewRest = 400;

/** A conversation that is open in the page: its replica, and which of its branches is shown. */
export class OpenConversation {
  readonly root: string;
  readonly #followed: FollowedConversation;
  readonly #isShown: ReadableStore<(kind: HideableKind) => boolean>;
  readonly #rowMaker = new Rows();
  /** The way that was taken last at each fork. */
  readonly #chosen = new Map<string, string>();
  #anchor: string | undefined;
  /** The start of a new branch that has no message yet, with the messages that follow it already, once they are known. */
  #end: { readonly node: string; readonly others: readonly string[] | undefined } | undefined;
  readonly #growing = new GrowingShape();
  #outline: readonly unknown[] | undefined;
  readonly #stopWatching: () => void;
  #isDue = false;
  #isOutlined = false;
  #isClosed = false;
  /** The callbacks that wait for a node to come. */
  readonly #awaiting = new Set<() => void>();

  readonly shape = new Store<Shape>(shapeOf([]));
  /** The nodes of the branch that is shown, the first message first. */
  readonly path = new Store<readonly string[]>([]);
  /** Both as they were a moment ago, for views of a whole conversation. */
  readonly overview = new SlowStore<Overview>({ shape: shapeOf([]), path: [] }, overviewRest);
  readonly rows = new Store<readonly Row[]>([]);
  readonly turns = new BranchTurns();
  /** The parts of the branch that models do not see. */
  readonly notShown = new Store<NotShown>(notShown([]));
  /** Thinking that is no longer sent, since something before it was changed; known once the size of the context is. */
  readonly invalidThinking = new Store<ReadonlySet<string>>(new Set());
  #marks = '';
  #wanted: WantedBlock | undefined;

  constructor({ client, root, node, isNewBranch = false, isShown, onSignedOut }: OpenOptions) {
    this.root = root;
    this.#anchor = node;
    this.#end = isNewBranch ? { node: node ?? root, others: undefined } : undefined;
    this.#isShown = isShown;
    this.#followed = client.follow(root, {
      load: 'branch',
      ...(node === undefined ? {} : { leaf: node }),
      onSignedOut,
      onChange: (what) => {
        if (altersRows(what)) this.#look(what);
      },
    });
    this.#stopWatching = isShown.subscribe(() => this.#schedule());
  }

  get watch(): FollowedConversation['replica']['watch'] {
    return this.#followed.replica.watch;
  }

  get replica(): FollowedConversation['replica'] {
    return this.#followed.replica;
  }

  /** True if the path was found with all nodes known; before, its apparent end may go on. */
  get isOutlined(): boolean {
    return this.#isOutlined;
  }

  /** True if the end of the branch that is shown is known, and loaded. */
  get isLoaded(): boolean {
    const { tip } = this;
    return this.#isOutlined && (tip === this.root || this.replica.nodes.has(tip));
  }

  /** The end of the branch that is shown; the root while there is none. */
  get tip(): string {
    return this.path.getSnapshot().at(-1) ?? this.root;
  }

  /** The node, or the root, behind which a new branch begins that has no message yet. */
  get openEnd(): string | undefined {
    return this.#end?.node;
  }

  /** The folder that its tools work in, if it is set. */
  get folder(): string | undefined {
    const { directory } = this.watch.whole.getSnapshot().root.config;
    return typeof directory === 'string' && directory !== '' ? directory : undefined;
  }

  /** The message that a block is part of, if it is loaded. */
  nodeOfBlock(block: string): string | undefined {
    return this.replica.nodeOf(block)?.id;
  }

  /** Returns true if a block is known to be on another branch than the one on display, or no longer on any. */
  isElsewhere(block: string): boolean {
    const node = this.nodeOfBlock(block);
    return this.#isOutlined && node !== undefined && !this.path.getSnapshot().includes(node);
  }

  /** The first block of a message that is shown, if it is loaded. */
  firstBlockOf(node: string): string | undefined {
    const row = this.rows.getSnapshot().find((one) => 'block' in one && one.node === node);
    if (row !== undefined && 'block' in row) return row.block;
    return this.replica.nodes.get(node)?.blocks.find(({ block_id: id }) => id !== undefined)?.block_id;
  }

  /** Returns the messages of the branch on display, as far as they are loaded. */
  loadedPath(): NodeState[] {
    const { nodes } = this.replica;
    return this.path.getSnapshot().flatMap((id) => nodes.get(id) ?? []);
  }

  /** Shows the branch that goes through a node. */
  show(node: string): void {
    const shape = this.shape.getSnapshot();
    for (const [index, id] of pathTo(shape, node).entries()) {
      this.#chosen.set(index === 0 ? this.root : (shape.nodes.get(id)?.parent ?? this.root), id);
    }
    this.#anchor = node;
    this.#end = undefined;
    this.#refresh();
    this.overview.settle();
  }

  /** Shows a block of the branch whatever its kind, until another one is looked for. */
  lookFor(wanted: WantedBlock): void {
    if (this.#wanted?.block === wanted.block) return;
    this.#wanted = wanted;
    this.#refresh();
  }

  /** The end of the branch of a message, by the ways that were taken last. */
  endOf(node: string): string {
    return tipBelow(this.shape.getSnapshot(), node, this.#chosen);
  }

  /** Shows a branch only up to a node: the next message begins a new one there. */
  showUpTo(node: string): void {
    this.show(node);
    this.#end = { node, others: this.shape.getSnapshot().children.get(node) ?? [] };
    this.#refresh();
  }

  /** Gives up the new branch; the messages below are shown again. */
  leaveOpenEnd(): void {
    if (this.#end === undefined) return;
    this.#end = undefined;
    this.#refresh();
  }

  /** Shows a sibling of a node: one step to the left (-1) or to the right (1); at the ends nothing happens. */
  showSibling(node: string, step: -1 | 1): string | undefined {
    const { all, at } = siblingsOf(this.shape.getSnapshot(), node);
    const next = all[at + step];
    if (next !== undefined) this.show(next);
    return next;
  }

  /** Asks for a message that is to be seen and has not come yet, and for those around it on the branch. */
  want(node: string): void {
    const path = this.path.getSnapshot();
    const at = path.indexOf(node);
    const around = path.slice(Math.max(0, at - nearby), at + nearby);
    this.replica.want([node, ...around].filter((id) => !this.replica.nodes.has(id)));
  }

  /** Waits until a node that an operation has made is known here. Returns false if the conversation is left before. */
  until(node: string): Promise<boolean> {
    return this.#when(() => this.replica.outline.has(node));
  }

  /**
   * Waits until the end of the branch that is shown is known, and loaded: before, it seems to end sooner, or not to have begun. Returns false
   * if the conversation is left before.
   */
  async untilLoaded(): Promise<boolean> {
    if (!(await this.#when(() => this.replica.isOutlined))) return false;
    const { tip } = this;
    if (tip === this.root) return true;
    this.want(tip);
    return this.#when(() => this.replica.nodes.has(tip) || !this.replica.outline.has(tip));
  }

  async #when(isSo: () => boolean): Promise<boolean> {
    while (!isSo() && !this.#isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = this.watch.whole.subscribe(resolve);
      this.#awaiting.add(resolve);
      await promise;
      this.#awaiting.delete(resolve);
      stop();
    }
    if (this.#isClosed) return false;
    this.#refresh();
    return true;
  }

  /** Lets texts be edited; resolves once the typing that an earlier page has kept is taken in. */
  allowEditing(parts: EditingParts): Promise<void> {
    return this.#followed.allowEditing(parts);
  }

  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#awaiting) resolve();
    this.#stopWatching();
    this.overview.stop();
    this.#followed.close();
  }

  #look(what: ReplicaChange): void {
    // The first rows are drawn at once. Only the last page of the outline connects them to those above.
    if (this.path.getSnapshot().length === 0) this.#refresh();
    else if (what.type !== 'loaded' || this.replica.isOutlined) this.#schedule();
  }

  /** Schedules a refresh. Many changes come within a frame of the screen; they are handled together. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#refresh();
    });
  }

  #refresh(): void {
    this.#isOutlined = this.replica.isOutlined;
    const { outline } = this.watch.whole.getSnapshot();
    if (outline !== this.#outline) {
      this.#outline = outline;
      this.shape.set(this.#growing.shape(outline));
    }
    const shape = this.shape.getSnapshot();
    const path = this.#findPath(shape);
    if (!isSameList(path, this.path.getSnapshot())) {
      this.#remember(path);
      this.path.set(path);
    }
    const told = this.overview.getSnapshot();
    if (told.shape !== shape || told.path !== this.path.getSnapshot())
      this.overview.offer({ shape, path: this.path.getSnapshot() });
    const { nodes } = this.replica;
    this.#lookAtMarks(path);
    const isFork = (id: string): boolean => (shape.children.get(id)?.length ?? 0) > (id === this.#end?.node ? 0 : 1);
    const start = this.#end?.node === this.root ? this.root : undefined;
    const isShown = this.#isShown.getSnapshot();
    this.rows.set(this.#rowMaker.of({ path, start, nodes, isFork, isShown, wanted: this.#wanted }));
  }

  #lookAtMarks(path: readonly string[]): void {
    const { nodes } = this.replica;
    const marked: NodeState[] = [];
    for (const id of path) {
      const node = nodes.get(id);
      if (node?.exclude !== undefined || node?.context_start !== undefined) marked.push(node);
    }
    const marks = JSON.stringify(marked.map(({ id, exclude, context_start: isStart }) => [id, exclude, isStart]));
    if (marks === this.#marks) return;
    this.#marks = marks;
    this.notShown.set(notShown(marked));
  }

  #findPath(shape: Shape): string[] {
    const end = this.#openEnd(shape);
    if (end !== undefined) return pathTo(shape, end);
    const { leaf } = this.watch.whole.getSnapshot();
    const wanted = [this.#anchor, this.path.getSnapshot().findLast((id) => shape.nodes.has(id)), leaf];
    const start = wanted.find((id) => id !== undefined && shape.nodes.has(id)) ?? this.root;
    return pathTo(shape, tipBelow(shape, start, this.#chosen));
  }

  /** Returns the start of the new branch, as long as it has no message. */
  #openEnd(shape: Shape): string | undefined {
    if (this.#end === undefined) return undefined;
    const { node } = this.#end;
    // The conversation has not come yet.
    if (shape.nodes.size === 0) return undefined;
    const below = shape.children.get(node) ?? [];
    // As long as not all messages are known, those that come are not new.
    const others = this.#end.others ?? (this.replica.isOutlined ? below : undefined);
    this.#end = { node, others };
    const added = others && below.find((id) => !others.includes(id));
    if ((shape.nodes.has(node) || node === this.root) && added === undefined) return node;
    this.#end = undefined;
    if (added !== undefined) this.#anchor = added;
    return undefined;
  }

  /** Remembers the path on display as the choice, so that a new branch beside it does not take its place. */
  #remember(path: readonly string[]): void {
    const before = this.path.getSnapshot();
    let index = 0;
    while (index < path.length && path[index] === before[index]) index += 1;
    for (; index < path.length; index += 1) this.#chosen.set(path[index - 1] ?? this.root, path[index] ?? '');
  }
}

/** The number of messages to load before and after one that is to be seen. */
const nearby = 60;

/** Returns true if the rows may differ from before; most changes only add words to one of them. */
function altersRows(what: ReplicaChange): boolean {
  if (what.type !== 'change') return what.type === 'snapshot' || what.type === 'loaded';
  return what.events.some(({ type }) => type.startsWith('node-') || type.startsWith('block-'));
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
