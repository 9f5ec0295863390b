import { z } from 'zod';
import { Listeners } from '../../listeners.ts';
import type { Clock, Ids, PresencePort } from '../../ports.ts';
import { readJson } from '../../read-json.ts';
import { StoreError } from '../../store.ts';
import type { LogHead, Store } from '../../store.ts';

export interface OtherHeadsOptions {
  store: Pick<Store, 'announce' | 'hear' | 'heads'>;
  clock: Clock;
  ids: Ids;
  /** Gets what listeners throw. */
  failed: (error: unknown) => void;
}

const announced = z.array(z.tuple([z.string(), z.number(), z.string()]));

/**
 * Tells the other processes of a store how lists show a conversation from now on, and hears it of theirs: a turn that begins, ends or needs a person
 * elsewhere is seen here without its log being read. Announcements may be lost, so the newest heads are looked at now and then.
 */
export class OtherHeads {
  readonly #options: OtherHeadsOptions;
  readonly #listeners: Listeners<string>;
  /** The heads to announce, by conversation. */
  #pending = new Map<string, LogHead>();
  /** The heads as they were heard, read or written last, the most recent ones last. */
  readonly #known = new Map<string, LogHead>();
  /** The name of this process in what it says of who is here. */
  #name: string | undefined;
  #stop = (): void => {};
  #cancel = (): void => {};
  #isClosed = false;

  constructor(options: OtherHeadsOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.failed);
  }

  /** Announces a head that this process has written, with all that follow soon. */
  tell(root: string, head: LogHead): void {
    this.#keep(root, head);
    if (this.#isClosed) return;
    if (this.#pending.size === 0) this.#cancel = this.#options.clock.after(gathering, () => this.#announce());
    this.#pending.set(root, head);
  }

  /** Announces what is left, and hears nothing from then on. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#stop();
    this.#announce();
  }

  /** Calls back with each conversation that other processes show differently now. Returns how to stop. */
  subscribe(listener: (root: string) => void): () => void {
    if (this.#listeners.size === 0) this.#start();
    const stop = this.#listeners.add(listener);
    return () => {
      if (stop() && this.#listeners.size === 0) this.#stop();
    };
  }

  /** The way to those in the same conversation at other processes. */
  presence(root: string): PresencePort {
    const { store, ids } = this.#options;
    this.#name ??= ids.next();
    return {
      name: this.#name,
      announce: (message) => this.#unlessClosed(() => store.announce(`presence/${root}`, message)),
      hear: (listener) => store.hear(`presence/${root}`, listener),
    };
  }

  /** The newest head of a conversation that is known here. */
  headOf(root: string): LogHead | undefined {
    return this.#known.get(root);
  }

  #announce(): void {
    const { store } = this.#options;
    const heads = [...this.#pending].map(([root, { time, text }]) => [root, time, text]);
    this.#pending = new Map();
    for (let from = 0; from < heads.length; from += mostAtOnce) {
      this.#unlessClosed(() => store.announce(channel, JSON.stringify(heads.slice(from, from + mostAtOnce))));
    }
  }

  /** A store that was closed before its forest tells no process anything. */
  #unlessClosed(announce: () => void): void {
    try {
      announce();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #start(): void {
    const { store } = this.#options;
    const stopHearing = store.hear(channel, (message) => {
      for (const [root, time, text] of announced.safeParse(readJson(message)).data ?? []) {
        this.#hear(root, { time, text });
      }
    });
    let isOver = false;
    let cancel = (): void => {};
    const look = async (isFirst: boolean): Promise<void> => {
      const listed = await store.heads({ order: 'newest', limit: mostLookedAt }).catch(() => []);
      if (isOver) return;
      for (const { log, head } of listed) {
        if (head === undefined) continue;
        // Heads that were there before are no news.
        if (isFirst) this.#keep(log, head);
        else this.#hear(log, head);
      }
      cancel = this.#options.clock.after(lookInterval, () => void look(false));
    };
    void look(true);
    this.#stop = () => {
      isOver = true;
      stopHearing();
      cancel();
    };
  }

  #hear(root: string, head: LogHead): void {
    const known = this.#known.get(root);
    if (known?.text === head.text && known.time === head.time) return;
    this.#keep(root, head);
    this.#listeners.tell(root);
  }

  #keep(root: string, head: LogHead): void {
    this.#known.delete(root);
    this.#known.set(root, head);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }
}

const channel = 'heads';

/** The time for which heads are gathered, in milliseconds. */
const gathering = 50;

/** The heads of one announcement. */
const mostAtOnce = 50;

/** The time between two looks for what was not heard, in milliseconds, and the heads that each reads. */
const lookInterval = 10_000;
const mostLookedAt = 50;

const mostKnown = 1_000;
