import { Turns } from '../turns.ts';

/** The open writers of a handle, which end with it. */
export type OpenWriters = Set<{ close(): Promise<void> }>;

/** Ends all writers of a handle that is being closed. */
export async function closeWriters(writers: OpenWriters): Promise<void> {
  await Promise.allSettled(Array.from(writers, (writer) => writer.close()));
}

/** The calls of a writer, one after another. The first that fails ends it: every later one fails with the same error. */
export class WriterCalls {
  readonly #turns = new Turns();
  readonly #tidy: () => Promise<void>;
  #ended: { error: unknown } | undefined;

  /** `tidy` is run once, when the writer ends, however it ends. */
  constructor(tidy: () => Promise<void>) {
    this.#tidy = tidy;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.look(async () => {
      try {
        return await work();
      } catch (error) {
        await this.#end(error);
        throw error;
      }
    });
  }

  /** Runs a call that changes nothing, so that its failure ends nothing either. */
  look<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      if (this.#ended !== undefined) throw this.#ended.error;
      return work();
    });
  }

  /** Ends the writer after the calls before: later ones fail with this reason. */
  end(reason: unknown): Promise<void> {
    return this.#turns.run(() => this.#end(reason));
  }

  async #end(reason: unknown): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#ended = { error: reason };
    // A file that cannot be removed is in the way of nothing, and the first failure is the one to report.
    await this.#tidy().catch(() => undefined);
  }
}
