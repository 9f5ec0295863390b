import { Listeners } from '../listeners.ts';
import type { Followers } from '../log/log-listeners.ts';
import type { FeedItem } from '../log/log-shape.ts';
import type { HomeOp } from '../op.ts';
import type { Store } from '../store.ts';
import { homeOfLog } from './home-name.ts';
import type { Home } from './home-name.ts';

/** The part of the homes that has changed: without a home any may have, without keys any entry of it. */
export interface HomeNews {
  home?: Home;
  keys?: string[];
}

export interface HomeFeedOptions {
  store: Store;
  /** Returns true for a home that is in memory, whose log says which keys have changed. */
  isLoaded: (log: string) => boolean;
  /** Returns true if homes were let go that a caller may still look at. */
  hasReleased: () => boolean;
  failed: (error: unknown) => void;
}

/** Tells which homes change, whichever process changes them. It costs nothing while it has no listener. */
export class HomeFeed {
  readonly #options: HomeFeedOptions;
  readonly #listeners: Listeners<HomeNews>;
  readonly #followers: Set<(log: string, item: FeedItem<HomeOp>) => void> = new Set();
  #stopHearing = (): void => {};

  constructor(options: HomeFeedOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.failed);
  }

  /** The listeners that the logs of homes tell their changes to. */
  get followers(): Followers<HomeOp> {
    return this.#followers;
  }

  /** Calls back for every change of any home from now on. Returns how to stop. */
  subscribe(listener: (news: HomeNews) => void): () => void {
    if (this.#listeners.size === 0) this.#hear();
    const stop = this.#listeners.add(listener);
    return () => {
      if (stop() && this.#listeners.size === 0) this.stop();
    };
  }

  /** Stops hearing of changes. */
  stop(): void {
    this.#followers.clear();
    this.#stopHearing();
  }

  #hear(): void {
    const { store, isLoaded, hasReleased } = this.#options;
    this.#followers.add((log, item) => this.#take(log, item));
    this.#stopHearing = store.listenAll((log) => {
      // Homes in memory look for changes themselves.
      if (log === undefined && hasReleased()) this.#listeners.tell({});
      if (log === undefined || isLoaded(log)) return;
      const home = homeOfLog(log);
      if (home !== undefined) this.#listeners.tell({ home });
    });
  }

  #take(log: string, item: FeedItem<HomeOp>): void {
    const home = homeOfLog(log);
    if (home === undefined || item.type === 'cursor') return;
    const keys = item.type === 'change' ? item.events.map(({ key }) => key) : [];
    this.#listeners.tell(keys.length === 0 || keys.length > mostKeys ? { home } : { home, keys });
  }
}

/** More keys are not worth naming: whoever follows reads the home again. */
const mostKeys = 100;
