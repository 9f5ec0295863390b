import type { Clock, Cursor, Ids } from '@loom/kernel';
import { Replica } from '@loom/sync';
import type { EditingMeans, LostEdit, ReplicaChange, ReplicaOptions, Scope } from '@loom/sync';
import type { Backoff } from './backoff.ts';
import type { ClientError } from './client-error.ts';
import { KeptConnection } from './kept-connection.ts';
import type { OutboxStorage } from './outbox/outbox-storage.ts';
import { TextStorage } from './outbox/text-storage.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** The parts that editing needs and reading does not. */
export interface EditingParts {
  /** Makes what edits the texts: `editTexts` of `@loom/sync/editing`. */
  createTexts: EditingMeans['createTexts'];
  /** Keeps unconfirmed typing: a page that is loaded again goes on with it. May be that of an outbox. */
  storage?: OutboxStorage;
  /** Called when the storage has failed: typing is in memory alone. */
  onStorageFailure?: (error: unknown) => void;
  onLost?: (edit: LostEdit) => void;
}

export interface FollowOptions extends Partial<EditingParts> {
  /** Default: everything that can be seen. */
  scope?: Scope;
  /** All of it (the default), or one branch with the outline of the rest; more is asked for by `replica.want`. */
  load?: ReplicaOptions['load'];
  /** The end of the branch that is loaded first. Default: the one where something happened last. */
  leaf?: string;
  onChange?: (what: ReplicaChange) => void;
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
  #keeper: TextStorage | undefined;
  #onLost: ((edit: LostEdit) => void) | undefined;
  #allowing: Promise<void> | undefined;
  #wake: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    const { root, scope, load, leaf, clock, ids, createTexts, onLost } = parts;
    const { storage, onStorageFailure } = parts;
    this.replica = new Replica({
      root,
      clock,
      ids,
      onLost: (edit) => this.#onLost?.(edit),
      ...(scope === undefined ? {} : { scope }),
      ...(load === undefined ? {} : { load }),
      ...(leaf === undefined ? {} : { leaf }),
      onChange: (what) => this.#tell(what),
    });
    const { replica } = this;
    if (createTexts !== undefined) {
      void this.allowEditing({
        createTexts,
        ...(storage === undefined ? {} : { storage }),
        ...(onStorageFailure === undefined ? {} : { onStorageFailure }),
        ...(onLost === undefined ? {} : { onLost }),
      });
    }
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

  /**
   * Lets texts be edited from now on: what it takes may be loaded later than the conversation. Resolves once the typing that
   * the storage has kept is taken in. Asked again, it changes nothing.
   */
  allowEditing(means: EditingParts): Promise<void> {
    this.#allowing ??= this.#allow(means);
    return this.#allowing;
  }

  close(): void {
    this.#connection.close();
    this.replica.closeSaved();
    this.#keeper?.close();
    this.#wakeAll();
  }

  async #allow({ createTexts, storage, onStorageFailure = () => {}, onLost }: EditingParts): Promise<void> {
    const keeper = storage && new TextStorage(storage, onStorageFailure);
    this.#keeper = keeper;
    this.#onLost = onLost;
    this.replica.allowEditing({ createTexts, ...(keeper === undefined ? {} : { keeper }) });
    const kept = await keeper?.load(this.#parts.root);
    if (kept !== undefined) this.replica.restore(kept);
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
