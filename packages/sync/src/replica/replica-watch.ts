import type { MessageBlock } from '@loom/blocks';
import type { NodeState, Refusal, TextCursor } from '@loom/kernel';
import { draftsKey, outlineKey } from './conversation-view.ts';
import type { RootView } from '../frames.ts';
import type { OutlineNode } from '../room/outline.ts';
import type { ReplicaStatus } from './replica-options.ts';

/** A value that changes now and then; made for React's `useSyncExternalStore`. While it stays the same, it is the same object. */
export interface Watched<T> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => T;
}

/** A conversation without what its nodes say. */
export interface ReplicaState {
  readonly status: ReplicaStatus;
  readonly refusal: Refusal | undefined;
  readonly root: RootView;
  readonly leaf: string | undefined;
  readonly outline: readonly OutlineNode[];
  /** The ids of texts that the conversation holds beside its messages. */
  readonly drafts: readonly string[];
  /** The agents that are connected. */
  readonly here: readonly string[];
  readonly cursors: readonly TextCursor[];
}

/** The parts of a replica that are watched. */
export interface WatchedReplica extends Omit<ReplicaState, 'outline' | 'drafts' | 'here' | 'cursors'> {
  readonly nodes: ReadonlyMap<string, NodeState>;
  readonly outline: ReadonlyMap<string, OutlineNode>;
  readonly drafts: ReadonlyMap<string, NodeState>;
  readonly here: ReadonlySet<string>;
  readonly cursors: ReadonlyMap<string, TextCursor>;
  block(id: string): MessageBlock | undefined;
  text(block: string): string | undefined;
}

/** A replica as the parts of a page watch it: each is called when its own view has changed, and only then. */
export class ReplicaWatch {
  readonly #replica: WatchedReplica;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #nodes = new Map<string, Watched<NodeState | undefined>>();
  readonly #blocks = new Map<string, Watched<MessageBlock | undefined>>();
  readonly #texts = new Map<string, Watched<string | undefined>>();
  #state: ReplicaState;
  /** Everything but the content of nodes. */
  readonly whole: Watched<ReplicaState>;

  constructor(replica: WatchedReplica) {
    this.#replica = replica;
    this.#state = stateOf(replica);
    this.whole = this.#watch(wholeKey, () => this.#state);
  }

  /** A node or a draft, or `undefined` while it is not loaded. The same id gives the same object as long as it is watched. */
  node(id: string): Watched<NodeState | undefined> {
    return this.#find(this.#nodes, id, () => this.#replica.nodes.get(id) ?? this.#replica.drafts.get(id));
  }

  block(id: string): Watched<MessageBlock | undefined> {
    return this.#find(this.#blocks, id, () => this.#replica.block(id));
  }

  /** Watches the text of a block with the typing here. */
  text(block: string): Watched<string | undefined> {
    return this.#find(this.#texts, block, () => this.#replica.text(block));
  }

  /** Calls those who watch nodes and blocks with these ids, and those who watch the whole if that has become something else. */
  notify(ids: ReadonlySet<string>): void {
    const state = nextState(
      this.#state,
      stateOf(this.#replica, {
        ...(ids.has(outlineKey) ? {} : { outline: this.#state.outline }),
        ...(ids.has(draftsKey) ? {} : { drafts: this.#state.drafts }),
      }),
    );
    const isOther = state !== this.#state;
    this.#state = state;
    for (const id of ids) this.#call(id);
    if (isOther) this.#call(wholeKey);
  }

  #find<T>(known: Map<string, Watched<T>>, id: string, read: () => T): Watched<T> {
    const watched = known.get(id) ?? this.#watch(id, read, () => known.delete(id));
    known.set(id, watched);
    return watched;
  }

  #watch<T>(key: string, getSnapshot: () => T, forget = (): unknown => undefined): Watched<T> {
    let count = 0;
    const subscribe = (listener: () => void): (() => void) => {
      let last = getSnapshot();
      const call = (): void => {
        const now = getSnapshot();
        if (now === last) return;
        last = now;
        listener();
      };
      const listeners = this.#listeners.get(key) ?? new Set();
      this.#listeners.set(key, listeners.add(call));
      count += 1;
      return () => {
        if (!listeners.delete(call)) return;
        count -= 1;
        if (count === 0) forget();
        if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
      };
    };
    return { subscribe, getSnapshot };
  }

  #call(key: string): void {
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }
}

/** No id of a node or a block. */
const wholeKey = '';

function stateOf(replica: WatchedReplica, known: Partial<Pick<ReplicaState, 'outline' | 'drafts'>> = {}): ReplicaState {
  const { status, refusal, root, leaf, here, cursors } = replica;
  const { outline = [...replica.outline.values()], drafts = [...replica.drafts.keys()] } = known;
  return { status, refusal, root, leaf, outline, drafts, here: [...here], cursors: [...cursors.values()] };
}

/** Keeps the objects of the state before for the parts that are the same. */
function nextState(before: ReplicaState, now: ReplicaState): ReplicaState {
  const outline = isSameList(before.outline, now.outline) ? before.outline : now.outline;
  const drafts = isSameList(before.drafts, now.drafts) ? before.drafts : now.drafts;
  const here = isSameList(before.here, now.here) ? before.here : now.here;
  const cursors = isSameList(before.cursors, now.cursors) ? before.cursors : now.cursors;
  const isSame =
    before.status === now.status &&
    before.refusal === now.refusal &&
    before.root === now.root &&
    before.leaf === now.leaf &&
    before.outline === outline &&
    before.drafts === drafts &&
    before.here === here &&
    before.cursors === cursors;
  return isSame ? before : { ...now, outline, drafts, here, cursors };
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((item, index) => item === other[index]));
}
