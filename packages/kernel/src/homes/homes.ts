import { stableDeepEqual } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';
import { Log } from '../log/log.ts';
import type { Decision } from '../log/log-shape.ts';
import type { HomeOp } from '../op.ts';
import type { Clock } from '../ports.ts';
import { refuseValue } from '../refusal.ts';
import type { Written } from '../refusal.ts';
import type { Request } from '../request.ts';
import type { Store } from '../store.ts';
import { homeCodec } from './home-codec.ts';
import { HomeFeed } from './home-news.ts';
import type { HomeNews } from './home-news.ts';
import { homeLogName } from './home-name.ts';
import type { Home } from './home-name.ts';
import { homeSnapshots } from './home-snapshot.ts';
import { HomeState } from './home-state.ts';
import type { HomeEntry } from './home-state.ts';

/** A key with its new value; without a value the key is removed. */
export interface HomeChange {
  key: string;
  value?: PlainObject;
}

export interface HomesOptions {
  store: Store;
  clock: Clock;
  /** The number of changes after which the state of a home is kept, as for conversations. */
  snapshotEvery?: number;
  usesSnapshots?: boolean;
  listenerFailed?: ((error: unknown) => void) | undefined;
}

type HomeLog = Log<HomeState, HomeOp, HomeOp>;

/** Keeps data beside conversations: personal data in one log for each person, shared data in one for each project. */
export class Homes {
  readonly #options: HomesOptions;
  /** The one that was used last comes last. */
  readonly #logs = new Map<string, HomeLog>();
  readonly #feed: HomeFeed;
  #hasReleased = false;

  constructor(options: HomesOptions) {
    this.#options = options;
    this.#feed = new HomeFeed({
      store: options.store,
      isLoaded: (log) => this.#logs.get(log)?.loaded !== undefined,
      hasReleased: () => this.#hasReleased,
      failed: (error) => options.listenerFailed?.(error),
    });
  }

  /** Lists the entries of a home whose keys begin with a prefix, by key. A home that was never written to is empty, and asking does not make it. */
  async list(home: Home, prefix = ''): Promise<(HomeEntry & { key: string })[]> {
    const { value } = await this.#log(home).read(({ entries }) =>
      Array.from(entries, ([key, entry]) => ({ key, ...entry })).filter(({ key }) => key.startsWith(prefix)),
    );
    return value.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Sets and removes entries in one change. Unchanged ones are not written again. Returns the number of changed entries. */
  set(request: Request, home: Home, changes: readonly HomeChange[]): Promise<Written<number>> {
    return this.#log(home).append(request, z.int(), (state) => decideSet(state, changes));
  }

  /** Calls back for every change of any home from now on, also of other processes. Returns a function that stops it. */
  subscribe(listener: (news: HomeNews) => void): () => void {
    return this.#feed.subscribe(listener);
  }

  /** Saves snapshots, so that the next process reads the homes quickly. */
  async saveSnapshots(): Promise<void> {
    for (const log of this.#logs.values()) await log.saveSnapshot();
  }

  close(): void {
    this.#feed.stop();
    for (const log of this.#logs.values()) log.close();
  }

  #log(home: Home): HomeLog {
    const name = homeLogName(home);
    const log = this.#logs.get(name) ?? this.#make(name);
    this.#logs.delete(name);
    this.#logs.set(name, log);
    for (const [other, old] of this.#logs) {
      if (this.#logs.size <= mostLogs) break;
      // One that is owed a snapshot goes once that is written.
      if (old.isOwedSnapshot && this.#logs.size <= 2 * mostLogs) void old.saveSnapshot().catch(() => {});
      else if (old.releaseAtOnce()) this.#forget(other);
    }
    return log;
  }

  #forget(name: string): void {
    this.#logs.delete(name);
    this.#hasReleased = true;
  }

  #make(name: string): HomeLog {
    const { store, clock, listenerFailed, snapshotEvery, usesSnapshots } = this.#options;
    const every = snapshotEvery ?? (store.capabilities.durable ? 1000 : Infinity);
    return new Log({
      store,
      clock,
      listenerFailed,
      name,
      codec: homeCodec,
      createState: () => new HomeState(),
      createEditor: () => Promise.resolve(null),
      followers: this.#feed.followers,
      ...((usesSnapshots ?? Number.isFinite(every)) ? { snapshots: { ...homeSnapshots, every } } : {}),
    });
  }
}

function decideSet({ entries }: HomeState, changes: readonly HomeChange[]): Decision<HomeOp, number> {
  const after = new Map(changes.map(({ key, value }) => [key, value]));
  const ops = [...after].flatMap(([key, value]): HomeOp[] => {
    const before = entries.get(key)?.value;
    if (value === undefined) return before === undefined ? [] : [{ type: 'home-set', key }];
    return before !== undefined && stableDeepEqual(before, value) ? [] : [{ type: 'home-set', key, value }];
  });
  const added = ops.filter(({ key, value }) => value !== undefined && !entries.has(key)).length;
  if (entries.size + added > mostEntries)
    return refuseValue(['entries'], `must leave at most ${mostEntries} in the home`);
  return { ok: true, ops, value: ops.length };
}

/** The most homes that stay in memory while no caller uses them. */
const mostLogs = 50;
const mostEntries = 20_000;
