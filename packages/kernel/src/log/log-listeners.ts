import type { FeedItem } from './log-shape.ts';

/** Listeners to many logs. They hear of one while it is in use, and do not keep it in use. */
export type Followers<Event> = ReadonlySet<(log: string, item: FeedItem<Event>) => void>;

/** The listeners to one log. One that throws keeps no other from hearing, and does not make a writer fail. */
export class LogListeners<Event> {
  readonly #log: string;
  readonly #own = new Set<(item: FeedItem<Event>) => void>();
  readonly #followers: Followers<Event>;
  readonly #failed: (error: unknown) => void;

  constructor(log: string, followers: Followers<Event>, failed: (error: unknown) => void) {
    this.#log = log;
    this.#followers = followers;
    this.#failed = failed;
  }

  /** True if a listener is attached to this very log. */
  get hasOwn(): boolean {
    return this.#own.size > 0;
  }

  /** True if there is any listener, to this log or to many. */
  get isHeard(): boolean {
    return this.hasOwn || this.#followers.size > 0;
  }

  /** Returns how to stop. */
  add(listener: (item: FeedItem<Event>) => void): () => void {
    this.#own.add(listener);
    return () => void this.#own.delete(listener);
  }

  clear(): void {
    this.#own.clear();
  }

  tell(item: FeedItem<Event>): void {
    for (const listener of this.#own) this.#try(() => listener(item));
    for (const follower of this.#followers) this.#try(() => follower(this.#log, item));
  }

  #try(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#failed(error);
    }
  }
}
