import type { Clock, Cursor, Ids } from '@loom/kernel';
import { Replica } from '@loom/sync';
import type { LostEdit, ReplicaChange, ReplicaOptions, Scope } from '@loom/sync';
import type { Backoff } from './backoff.ts';
import type { ClientError } from './client-error.ts';
import { KeptConnection } from './kept-connection.ts';
import type { OutboxStorage } from './outbox/outbox-storage.ts';
import { TextStorage } from './outbox/text-storage.ts';
import type { Transport, TransportEvents } from './transport.ts';

export interface FollowOptions {
  /** Default: everything that can be seen. */
  scope?: Scope;
  /** All of it (the default), or one branch with the outline of the rest; more is asked for by `replica.want`. */
  load?: ReplicaOptions['load'];
  /** The end of the branch that is loaded first. Default: the one where something happened last. */
  leaf?: string;
  /** Makes the document of a text that is edited here; without it the conversation is only read. */
  createText?: ReplicaOptions['createText'];
  /** Keeps unconfirmed typing: a page that is loaded again goes on with it. May be that of an outbox. */
  storage?: OutboxStorage;
  /** Called when the storage has failed: typing is in memory alone. */
  onStorageFailure?: (error: unknown) => void;
  onChange?: (what: ReplicaChange) => void;
  onLost?: (edit: LostEdit) => void;
  /** Called when the token no longer opens the server: nothing is tried until the owner signs in again. */
  onSignedOut?: (error: ClientError) => void;
}

interface Parts extends FollowOptions {
  root: string;
  clock: Clock;
  ids: Ids;
  backoff: Backoff;
  createTransport: (events: TransportEvents) => Transport;
}

/** A conversation that is kept up to date, through however many connections it takes. */
export class FollowedConversation {
  /** The conversation as it is known here; readable also while there is no connection. */
  readonly replica: Replica;
  readonly #parts: Parts;
  readonly #connection: KeptConnection;
  readonly #keeper: TextStorage | undefined;
  #wake: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    const { root, scope, load, leaf, clock, ids, createText, onLost = () => {} } = parts;
    const { storage, onStorageFailure = () => {} } = parts;
    const keeper = storage && new TextStorage(storage, onStorageFailure);
    this.#keeper = keeper;
    this.replica = new Replica({
      root,
      clock,
      ids,
      onLost,
      ...(scope === undefined ? {} : { scope }),
      ...(load === undefined ? {} : { load }),
      ...(leaf === undefined ? {} : { leaf }),
      ...(createText === undefined ? {} : { createText }),
      ...(keeper === undefined ? {} : { keeper }),
      onChange: (what) => this.#tell(what),
    });
    const { replica } = this;
    if (createText !== undefined) void keeper?.load(root).then((kept) => replica.restore(kept));
    this.#connection = new KeptConnection(parts, {
      connect: (send) => replica.connect(send),
      receive: (frame) => replica.receive(frame),
      disconnect: () => replica.disconnect(),
      get isLive() {
        return replica.status === 'live';
      },
    });
  }

  /** Resolves once the server's current state is known here; false if there is no such conversation, or it was closed. */
  async ready(): Promise<boolean> {
    const { replica } = this;
    await this.#until(() => replica.status === 'live' || replica.status === 'refused');
    return replica.status === 'live';
  }

  /** Resolves once a place in the log has been heard: the effect of an operation is then known here. */
  async reach({ epoch, seq }: Cursor): Promise<void> {
    const { replica } = this;
    await this.#until(
      () => replica.cursor !== undefined && (replica.cursor.epoch !== epoch || replica.cursor.seq >= seq),
    );
  }

  close(): void {
    this.#connection.close();
    this.replica.closeSaved();
    this.#keeper?.close();
    this.#wakeAll();
  }

  #tell(what: ReplicaChange): void {
    this.#parts.onChange?.(what);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo() && !this.#connection.isClosed) await new Promise<void>((resolve) => void this.#wake.push(resolve));
  }
}
