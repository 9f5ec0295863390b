/**
 * Thrown by work on a state that needs something which takes a while to make. The log makes it, lets other work run in
 * between, and runs the work again.
 */
export class Unprepared extends Error {
  readonly prepare: (pause: () => Promise<void>) => Promise<void>;

  constructor(prepare: Unprepared['prepare']) {
    super('something that this needs is not there yet');
    this.name = 'Unprepared';
    this.prepare = prepare;
  }
}

/** Prepares what work needs, and runs it. */
export async function runPrepared<T>(work: () => T, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Unprepared)) throw error;
      await error.prepare(pause);
    }
  }
}
