import type { HomeNews, Ids, ListedRoot } from '@loom/kernel';
import { ListReplica } from '@loom/sync';
import type { ListView } from '@loom/sync';
import type { Backoff } from './backoff.ts';
import type { ClientError } from './client-error.ts';
import { KeptConnection } from './kept-connection.ts';
import type { Transport, TransportEvents } from './transport.ts';

export interface FollowListOptions {
  /** The number of conversations to begin with. Default: 100. */
  limit?: number;
  /** True to list conversations of agents that others have sent out, too. Default: true. */
  children?: boolean;
  /** Called when the token no longer opens the server: nothing is tried until the owner signs in again. */
  onSignedOut?: (error: ClientError) => void;
}

interface Parts extends FollowListOptions {
  ids: Ids;
  backoff: Backoff;
  createTransport: (events: TransportEvents) => Transport;
  readPage: (after: string) => Promise<{ items: readonly ListedRoot[]; next?: string }>;
}

/** The list of conversations, kept up to date through however many connections it takes. Nothing is asked for again and again. */
export class FollowedList {
  /** Calls back after each change; returns how to stop. With `getSnapshot` it is what React's `useSyncExternalStore` takes. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The list as it is known now; readable also while there is no connection. Conversations that did not change are the same objects. */
  readonly getSnapshot: () => ListView;
  /** Calls back when a home may have changed, with the part as far as it is known; returns how to stop. */
  readonly subscribeToHomes: (listener: (news: HomeNews) => void) => () => void;
  readonly #parts: Parts;
  readonly #replica: ListReplica;
  readonly #connection: KeptConnection;
  readonly #closed = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const replica = new ListReplica(parts);
    this.#replica = replica;
    this.subscribe = replica.subscribe;
    this.getSnapshot = replica.getSnapshot;
    this.subscribeToHomes = replica.subscribeToHomes;
    this.#connection = new KeptConnection(parts, {
      connect: (send) => replica.connect(send),
      receive: (frame) => replica.receive(frame),
      disconnect: () => replica.disconnect(),
      get isLive() {
        return replica.getSnapshot().status === 'live';
      },
    });
  }

  /** Resolves once a condition holds, or the list is closed. */
  async until(isSo: (view: ListView) => boolean): Promise<ListView> {
    while (!isSo(this.getSnapshot()) && !this.#connection.isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = this.subscribe(resolve);
      await Promise.race([promise, this.#closed.promise]);
      stop();
    }
    return this.getSnapshot();
  }

  /** Adds the next page, if there is one. */
  more(): Promise<void> {
    return this.#replica.extend(this.#parts.readPage);
  }

  close(): void {
    this.#connection.close();
    this.#closed.resolve();
  }
}
