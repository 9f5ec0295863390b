import type { Cursor, HomeNews, Ids, JobFacts, ListedRoot, Refusal } from '@loom/kernel';
import { protocol } from '../frames.ts';
import { encodeListFrame, longestList, parseListFrame } from './list-frames.ts';
import type { ListFrame } from './list-frames.ts';

/** `joining` also while there is no connection: the known list may be old. */
export type ListStatus = 'joining' | 'live' | 'refused';

/** The list as it is known at a moment. It never changes; a new one takes its place. */
export interface ListView {
  readonly status: ListStatus;
  /** Those that are neither deleted nor archived, the one that was changed last first. One that did not change is the same object as before. */
  readonly items: readonly ListedRoot[];
  /** The conversations of agents that others have sent out and that have changed since; they are not in the list. */
  readonly children: readonly ListedRoot[];
  /** The beginning of the next page, if there is more. */
  readonly next?: string;
  readonly refusal?: Refusal;
  /** Long work that goes on, and the last that is over, the one that was begun last first. */
  readonly jobs: readonly JobFacts[];
}

export interface ListReplicaOptions {
  ids: Ids;
  /** The number of conversations to begin with. Default: 100. */
  limit?: number;
  /** True to list conversations of agents that others have sent out, too. Default: true. */
  children?: boolean;
}

/** A client's side of the list of conversations: keeps the sent items up to date. It knows no socket. */
export class ListReplica {
  readonly #options: ListReplicaOptions;
  readonly #listeners = new Set<() => void>();
  readonly #homeListeners = new Set<(news: HomeNews) => void>();
  #known = new Map<string, Known>();
  readonly #children = new Map<string, ListedRoot>();
  #status: ListStatus = 'joining';
  #hasJoined = false;
  #next: string | undefined;
  #refusal: Refusal | undefined;
  #jobs: readonly JobFacts[] = [];
  #view: ListView = { status: 'joining', items: [], children: [], jobs: [] };
  #cursor: Cursor | undefined;
  #join: string | undefined;
  #send: ((text: string) => void) | undefined;
  /** Conversations that changed while a page was asked for: their news is newer than the page. */
  #told: Set<string> | undefined;

  constructor(options: ListReplicaOptions) {
    this.#options = options;
  }

  /** Calls back after each change. Returns how to stop. With `getSnapshot` it is what React's `useSyncExternalStore` takes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  /** Calls back when a home may have changed, also after a connection was lost and made again. Returns how to stop. */
  readonly subscribeToHomes = (listener: (news: HomeNews) => void): (() => void) => {
    const own = (news: HomeNews): void => listener(news);
    this.#homeListeners.add(own);
    return () => void this.#homeListeners.delete(own);
  };

  /** The list as it is known now: the same object until something changes. */
  readonly getSnapshot = (): ListView => this.#view;

  /** Connects: asks for what it does not know yet. */
  connect(send: (text: string) => void): void {
    this.#send = send;
    this.#ask();
  }

  disconnect(): void {
    this.#send = undefined;
    this.#status = 'joining';
    this.#show();
  }

  /** Takes in a frame from the server. Throws a `FrameError` if it is not a frame. */
  receive(value: unknown): void {
    const frame = parseListFrame(value);
    if (frame !== undefined) this.#hear(frame);
  }

  /** Asks for the page behind the known ones, and adds it. */
  async extend(read: (after: string) => Promise<{ items: readonly ListedRoot[]; next?: string }>): Promise<void> {
    const next = this.#next;
    if (next === undefined || this.#told !== undefined) return;
    const told = new Set<string>();
    this.#told = told;
    try {
      const page = await read(next);
      // If the list began anew meanwhile, this page is behind another one.
      if (this.#next !== next) return;
      this.#put(page.items.filter(({ id }) => !told.has(id)));
      this.#next = page.next;
      this.#show();
    } finally {
      this.#told = undefined;
    }
  }

  #ask(): void {
    const id = this.#options.ids.next();
    this.#join = id;
    const limit = Math.min(longestList, Math.max(this.#options.limit ?? 100, this.#known.size));
    const only = this.#options.children === false ? { children: false as const } : {};
    const frame = { type: 'join-list' as const, id, protocol, limit, ...only };
    this.#send?.(encodeListFrame(this.#cursor === undefined ? frame : { ...frame, cursor: this.#cursor }));
  }

  #hear(frame: ListFrame): void {
    const before = this.#status;
    this.#take(frame);
    if (this.#status !== 'live' || before === 'live') return;
    // Nobody tells what changed in homes while there was no connection.
    if (this.#hasJoined) this.#tellOfHomes({});
    this.#hasJoined = true;
  }

  #tellOfHomes(news: HomeNews): void {
    for (const listener of this.#homeListeners) listener(news);
  }

  #take(frame: ListFrame): void {
    switch (frame.type) {
      case 'list': {
        if (frame.id !== this.#join) return;
        const before = this.#known;
        this.#known = new Map();
        this.#put(frame.items, before);
        this.#next = frame.next;
        this.#jobs = [];
        this.#cursor = frame.cursor;
        this.#status = 'live';
        break;
      }
      case 'list-changed':
        // Frames sent before the answer to a join belong to an earlier one.
        if (frame.id === undefined ? this.#status !== 'live' : frame.id !== this.#join) return;
        // Behind the answer to a join comes what work there is.
        if (frame.id !== undefined) this.#jobs = [];
        for (const { id } of frame.items) this.#told?.add(id);
        this.#put(frame.items);
        this.#cursor = frame.cursor;
        this.#status = 'live';
        break;
      case 'jobs':
        this.#jobs = frame.jobs;
        break;
      case 'home-changed': {
        const { home, keys } = frame;
        this.#tellOfHomes({ ...(home === undefined ? {} : { home }), ...(keys === undefined ? {} : { keys }) });
        return;
      }
      case 'refused':
        if (frame.id !== this.#join) return;
        this.#refusal = frame.refusal;
        this.#status = 'refused';
        break;
      case 'resync':
        // The known items stay until a new page takes their place.
        this.#cursor = undefined;
        this.#status = 'joining';
        this.#ask();
        break;
    }
    this.#show();
  }

  #put(items: readonly ListedRoot[], before: ReadonlyMap<string, Known> = this.#known): void {
    for (const item of items) {
      const text = JSON.stringify(item);
      const known = before.get(item.id);
      const isChild = this.#options.children === false && item.sender !== undefined;
      const isAway = item.deleted || item.archived === true;
      if (isChild && !isAway) this.#children.set(item.id, item);
      else this.#children.delete(item.id);
      if (isAway || isChild) this.#known.delete(item.id);
      else this.#known.set(item.id, known?.text === text ? known : { item, text });
    }
  }

  #show(): void {
    const before = this.#view;
    const sorted = Array.from(this.#known.values(), ({ item }) => item).sort(newestFirst);
    const isSame = isSameList(sorted, before.items);
    const isOld = this.#status === before.status && this.#next === before.next && this.#jobs === before.jobs;
    const children = [...this.#children.values()];
    const isSameBelow = isSameList(children, before.children);
    if (isSame && isOld && isSameBelow) return;
    this.#view = {
      status: this.#status,
      items: isSame ? before.items : sorted,
      children: isSameBelow ? before.children : children,
      jobs: this.#jobs,
      ...(this.#next === undefined ? {} : { next: this.#next }),
      ...(this.#status === 'refused' && this.#refusal !== undefined ? { refusal: this.#refusal } : {}),
    };
    for (const listener of this.#listeners) listener();
  }
}

function isSameList(one: readonly ListedRoot[], other: readonly ListedRoot[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** A conversation, and its text to compare with. */
interface Known {
  item: ListedRoot;
  text: string;
}

/** Compares conversations by their times, which are of one form, and then by their names, as pages are. */
function newestFirst(one: ListedRoot, other: ListedRoot): number {
  if (one.updated !== other.updated) return one.updated > other.updated ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
