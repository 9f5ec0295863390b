import type { Clock, Cursor, Ids } from '@loom/kernel';
import { Replica } from '@loom/sync';
import type { LostEdit, ReplicaChange, ReplicaOptions, Scope } from '@loom/sync';
import type { Backoff } from './backoff.ts';
import { ClientError } from './client-error.ts';
import type { Transport, TransportEvents } from './transport.ts';

export interface FollowOptions {
  /** Default: everything that can be seen. */
  scope?: Scope;
  /** Makes the document of a text that is edited here; without it the conversation is only read. */
  createText?: ReplicaOptions['createText'];
  onChange?: (what: ReplicaChange) => void;
  onLost?: (edit: LostEdit) => void;
  /** The token does not open the server any more: nothing is tried until the owner signs in again. */
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
  #transport: Transport | undefined;
  #isClosed = false;
  #stopWaiting = (): void => {};
  #wake: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    const { root, scope, clock, ids, createText, onLost = () => {} } = parts;
    this.replica = new Replica({
      root,
      clock,
      ids,
      onLost,
      ...(scope === undefined ? {} : { scope }),
      ...(createText === undefined ? {} : { createText }),
      onChange: (what) => this.#tell(what),
    });
    this.#connect();
  }

  /** Answers once what the server has by now is known here; false if there is no such conversation, or it was closed. */
  async ready(): Promise<boolean> {
    const { replica } = this;
    await this.#until(() => replica.status === 'live' || replica.status === 'refused');
    return replica.status === 'live';
  }

  /** Answers once a place in the log has been heard: what an operation did is then known here. */
  async reach({ epoch, seq }: Cursor): Promise<void> {
    const { replica } = this;
    await this.#until(
      () => replica.cursor !== undefined && (replica.cursor.epoch !== epoch || replica.cursor.seq >= seq),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#transport?.close();
    this.#transport = undefined;
    this.replica.disconnect();
    this.#wakeAll();
  }

  #connect(): void {
    const { createTransport, backoff } = this.#parts;
    const transport = createTransport({
      opened: () => this.replica.connect((text) => this.#transport?.send(text)),
      received: (frames) => {
        for (const frame of frames) this.replica.receive(frame);
        if (this.replica.status === 'live') backoff.reset();
      },
      lost: (error) => this.#lost(error),
    });
    this.#transport = transport;
  }

  #lost(error: unknown): void {
    const { backoff, onSignedOut } = this.#parts;
    this.#transport = undefined;
    this.replica.disconnect();
    if (this.#isClosed) return;
    if (error instanceof ClientError && error.isSignedOut) return onSignedOut?.(error);
    this.#stopWaiting = backoff.wait(() => this.#connect());
  }

  #tell(what: ReplicaChange): void {
    this.#parts.onChange?.(what);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo() && !this.#isClosed) await new Promise<void>((resolve) => void this.#wake.push(resolve));
  }
}
