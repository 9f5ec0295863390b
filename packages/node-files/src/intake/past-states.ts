import { rootCodec } from '@loom/kernel/logs';
import type { RootState } from '@loom/kernel';
import type { Change, RootLog, RootOp } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';

/**
 * Computes earlier states of a root. Many files that are checked out at once have about as many seqs, mostly in their order, so that each lookup
 * continues from the last one, and only a step back starts over.
 */
export class PastStates {
  readonly #store: Store;
  readonly #root: string;
  readonly #log: RootLog;
  #last: PastState | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(store: Store, root: string, log: RootLog) {
    this.#store = store;
    this.#root = root;
    this.#log = log;
  }

  /** Reads from the state right after a change; the state is valid only during the call. */
  read<T>(seq: number, read: (state: RootState) => T): Promise<T> {
    const done = this.#tail.then(async () => read((await this.#goOn(seq)) ?? (await this.#begin(seq))));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Frees the memory for looking back. */
  forget(): void {
    this.#last = undefined;
  }

  async #goOn(seq: number): Promise<RootState | undefined> {
    const last = this.#last;
    if (last === undefined || last.state.seq > seq) return undefined;
    const { state, epoch } = last;
    const known = last.ahead.at(-1)?.seq ?? state.seq;
    if (known < seq) {
      const contents = await this.#store.read(this.#root, known, seq);
      if (contents?.epoch !== epoch) return undefined;
      const changes = contents.records.flatMap(({ text }) => rootCodec.decode(text));
      last.ahead.push(...changes.filter((change) => change.seq > known));
    }
    const next = last.ahead.findIndex((change) => change.seq > seq);
    const due = last.ahead.splice(0, next === -1 ? last.ahead.length : next);
    for (const change of due) state.apply(change);
    return state.seq === seq ? state : undefined;
  }

  async #begin(seq: number): Promise<RootState> {
    const { epoch } = await this.#log.cursor();
    const state = await this.#log.past.stateAt(seq);
    this.#last = { state, epoch, ahead: [] };
    return state;
  }
}

interface PastState {
  state: RootState;
  epoch: string;
  /** Changes that came with others in one record, and are not applied yet. */
  ahead: Change<RootOp>[];
}
