import { z } from 'zod';
import type { Decision } from '../log/log-shape.ts';
import type { RootLog } from '../forest/forest.ts';
import type { RootOp } from '../op.ts';
import type { Clock, Hash, Ids } from '../ports.ts';
import type { RootState, TurnState } from '../state/root-state.ts';
import type { TextEditor } from '../forest/editing/text/text-editor.ts';
import type { BlobPort, SpoolPort } from '../blob-port.ts';
import type { Written } from '../refusal.ts';
import { StoreError } from '../store.ts';
import type { FailingCall, StorePatience } from './holding/store-patience.ts';
import { insideTurn } from './turn-decisions.ts';

/** Thrown when the turn may no longer write: it was ended, or it goes on elsewhere. Not an error; the runner just stops. */
export class TurnStopped extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the turn was stopped: ${reason}`);
    this.name = 'TurnStopped';
    this.reason = reason;
  }
}

/** The parts that all writers of one turn need. */
export interface TurnScope {
  root: string;
  log: RootLog;
  turn: string;
  holder: string;
  /** The agent that the turn's changes are by: the model. */
  agent: string;
  clock: Clock;
  ids: Ids;
  hash: Hash;
  blobs: BlobPort;
  spools: SpoolPort;
  patience: StorePatience;
}

/** A write that is not answered yet. */
interface PendingWrite {
  send: () => void;
  giveUp: (error: unknown) => void;
}

/** The number of writes that may be under way before their turn waits for them. */
const mostUnwaited = 100;

/** Thrown in a write when an earlier one has failed since it was sent: it is sent again behind that one. */
class SentAgain extends Error {}

/**
 * Writes for one turn, behind its fence. A write that the store fails at is sent again for as long as the lease of the turn holds, and all that
 * came behind it after it, in their order. After that nothing more is written: it is unknown whether the words before are there, and a text
 * with a hole would be worse than a short one.
 */
export class TurnWriter {
  readonly scope: TurnScope;
  /** The prefix of its request ids; they count on from there. */
  readonly #requests: string;
  #lastRequest = 0;
  /** The first thing that went wrong. */
  #failure: unknown;
  #unwaited: Promise<unknown> = Promise.resolve();
  #unwaitedCount = 0;
  /** The writes that are not answered yet, in their order. */
  readonly #pending = new Set<PendingWrite>();
  /** The number of times that everything was sent again. */
  #sendings = 0;
  /** The failure that is being waited out. */
  #failing: FailingCall | undefined;
  #isWaiting = false;
  /** Functions that write text that is held back for a moment. */
  readonly #heldBack = new Set<() => void>();
  /** Functions that make blobs of the outputs that still grow. */
  readonly #growing = new Set<() => Promise<void>>();

  constructor(scope: TurnScope) {
    this.scope = scope;
    this.#requests = scope.ids.next();
  }

  /** Writes and waits until it is durable. Throws `TurnStopped` behind the fence. */
  write<T>(
    schema: z.ZodType<T>,
    decide: (state: RootState, turn: TurnState, editor: () => TextEditor) => Decision<RootOp, T>,
  ): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { log, turn, holder, agent } = this.scope;
    this.#lastRequest += 1;
    const id = `${this.#requests}.${this.#lastRequest}`;
    // An earlier sending may have been written although it failed, behind this change.
    let firstSeq: number | undefined;
    const append = (sending: number): Promise<Written<T>> =>
      log.append(
        { agent, id, turn },
        schema,
        (state, editor) => {
          // Earlier writes may have failed since this was asked for.
          this.check();
          if (sending !== this.#sendings) throw new SentAgain();
          firstSeq ??= state.seq;
          return insideTurn(state, turn, holder, (running) => decide(state, running, editor));
        },
        firstSeq,
      );
    return new Promise((resolve, reject) => {
      const pending = { send: () => void this.#send(pending, append, resolve), giveUp: reject };
      this.#pending.add(pending);
      if (!this.#isWaiting) pending.send();
    });
  }

  /** The newest state, as soon as the store can be read. */
  state(): Promise<RootState> {
    return this.scope.patience.retry(() => this.scope.log.state());
  }

  async #send<T>(
    pending: PendingWrite,
    append: (sending: number) => Promise<Written<T>>,
    resolve: (value: T) => void,
  ): Promise<void> {
    const sending = this.#sendings;
    try {
      const outcome = await append(sending);
      if (!outcome.ok) throw new TurnStopped(outcome.refusal.reason);
      this.#pending.delete(pending);
      this.#failing = undefined;
      resolve(outcome.value);
    } catch (error) {
      // Writes that were sent again since then are answered by that.
      if (sending !== this.#sendings || error instanceof SentAgain) return;
      if (error instanceof StoreError) return this.#sendAllLater(error);
      this.#giveUp(pending, error);
    }
  }

  /** Sends everything again that is not answered, in its order, once the store may have recovered. */
  async #sendAllLater(error: StoreError): Promise<void> {
    this.#sendings += 1;
    this.#isWaiting = true;
    this.#failing ??= this.scope.patience.begin();
    try {
      await this.#failing.wait(error);
      this.#isWaiting = false;
      for (const { send } of this.#pending) send();
    } catch (failure) {
      this.#isWaiting = false;
      for (const pending of this.#pending) this.#giveUp(pending, failure);
    }
  }

  #giveUp(pending: PendingWrite, error: unknown): void {
    this.#failure ??= error;
    this.#pending.delete(pending);
    pending.giveUp(error);
  }

  writeOps(decide: (state: RootState, editor: () => TextEditor) => RootOp[]): Promise<null> {
    return this.write(z.null(), (state, _turn, editor) => ({ ok: true, ops: decide(state, editor), value: null }));
  }

  /** Writes without waiting, in order with everything else. `flush` throws what went wrong. */
  writeSoon(decide: (state: RootState, editor: () => TextEditor) => RootOp[]): void {
    // `write` remembers the failure.
    const written = this.writeOps(decide).catch(() => null);
    this.#unwaitedCount += 1;
    this.#unwaited = this.#unwaited.then(() => written).finally(() => (this.#unwaitedCount -= 1));
  }

  /** Waits if more is said than the store can take: the text held in memory stays small. */
  async keepUp(): Promise<void> {
    if (this.#unwaitedCount > mostUnwaited) await this.flush();
  }

  /** Remembers the function that writes held-back text, for when the turn is stopped. */
  holdBack(write: () => void): void {
    this.#heldBack.add(write);
  }

  /** Writes everything that is held back, and waits for it. */
  async release(): Promise<void> {
    for (const write of this.#heldBack) write();
    await this.seal();
    await this.flush();
  }

  /** Remembers how to make blobs of outputs that grow, for when the turn ends before they do. */
  sealAtEnd(seal: () => Promise<void>): void {
    this.#growing.add(seal);
  }

  /** Makes blobs of all outputs that still grow, and waits until the log says so. */
  async seal(): Promise<void> {
    await Promise.all([...this.#growing].map((seal) => seal()));
  }

  /** Prevents all further writes because of a failure beside the log. */
  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** Waits for everything that was written soon; throws what went wrong with it. */
  async flush(): Promise<void> {
    await this.#unwaited;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Throws if a write has failed by now. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
