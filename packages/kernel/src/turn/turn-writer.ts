import { z } from 'zod';
import type { Decision } from '../log/log-shape.ts';
import type { RootLog } from '../forest/forest.ts';
import type { RootOp } from '../op.ts';
import type { Clock, Hash, Ids } from '../ports.ts';
import type { RootState, TurnState } from '../state/root-state.ts';
import type { TextEditor } from '../forest/editing/text/text-editor.ts';
import type { BlobPort, SpoolPort } from '../blob-port.ts';
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
}

/** The number of writes that may be under way before their turn waits for them. */
const mostUnwaited = 100;

/**
 * Writes for one turn, behind its fence. After the first failure nothing more is written: it is unknown whether the words
 * before it are there, and a text with a hole would be worse than a short one.
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
  /** Functions that write text that is held back for a moment. */
  readonly #heldBack = new Set<() => void>();
  /** Functions that make blobs of the outputs that still grow. */
  readonly #growing = new Set<() => Promise<void>>();

  constructor(scope: TurnScope) {
    this.scope = scope;
    this.#requests = scope.ids.next();
  }

  /** Writes and waits until it is durable. Throws `TurnStopped` behind the fence. */
  async write<T>(
    schema: z.ZodType<T>,
    decide: (state: RootState, turn: TurnState, editor: () => TextEditor) => Decision<RootOp, T>,
  ): Promise<T> {
    this.check();
    const { log, turn, holder, agent } = this.scope;
    this.#lastRequest += 1;
    const id = `${this.#requests}.${this.#lastRequest}`;
    try {
      const outcome = await log.append({ agent, id, turn }, schema, (state, editor) =>
        insideTurn(state, turn, holder, (running) => {
          // Earlier writes may have failed since this was asked for.
          this.check();
          return decide(state, running, editor);
        }),
      );
      if (outcome.ok) return outcome.value;
      throw new TurnStopped(outcome.refusal.reason);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
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
