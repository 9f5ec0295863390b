import type { Clock, ProcessEnd } from '@loom/kernel';

/** A command that its turn waits for. A person may stop it alone, or let it go on without the turn. */
export class ForegroundCommand {
  /** Ends the command: aborted by a person, at the time limit, or with the turn. */
  readonly controller = new AbortController();
  readonly #wish = Promise.withResolvers<void>();
  readonly #moved = Promise.withResolvers<string | undefined>();
  readonly #leave: () => void;
  #endedBy: 'person' | 'time-limit' | 'turn' | undefined;

  constructor(clock: Clock, turn: AbortSignal, time: number) {
    const endWithTurn = (): void => this.#end('turn');
    turn.addEventListener('abort', endWithTurn);
    const cancel = clock.after(time, () => this.#end('time-limit'));
    this.#leave = () => {
      cancel();
      turn.removeEventListener('abort', endWithTurn);
    };
    if (turn.aborted) endWithTurn();
  }

  /** Resolves once a person wants it in the background. */
  get wish(): Promise<void> {
    return this.#wish.promise;
  }

  stop(): void {
    this.#end('person');
  }

  /** Asks for it to go on in the background: resolves to its id there, or to `undefined` if it has ended meanwhile. */
  move(): Promise<string | undefined> {
    this.#wish.resolve();
    return this.#moved.promise;
  }

  /** Lets go of the time limit and the turn: the command has ended, or goes on as `id`. */
  release(id?: string): void {
    this.#leave();
    this.#moved.resolve(id);
  }

  /** The end of its process, with the reason that a signal does not tell. */
  endOf(end: ProcessEnd): ProcessEnd & { isByPerson?: true } {
    if (end.reason !== 'stopped') return end;
    if (this.#endedBy === 'time-limit') return { ...end, reason: 'time-limit' };
    return this.#endedBy === 'person' ? { ...end, isByPerson: true } : end;
  }

  #end(by: 'person' | 'time-limit' | 'turn'): void {
    this.#endedBy ??= by;
    this.controller.abort();
  }
}

/** The commands that turns of this process wait for, by the node of their result. */
export type ForegroundCommands = Map<string, ForegroundCommand>;
