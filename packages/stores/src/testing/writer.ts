import type { AppendRequest, AppendResult, LogRecord, Store } from '@loom/kernel/store';

/** A request with one record for each text. */
export function request(
  epoch: string | undefined,
  expectedSeq: number,
  texts: readonly string[],
): AppendRequest & { records: LogRecord[] } {
  return { epoch, expectedSeq, records: texts.map((text, index) => ({ seq: expectedSeq + 1 + index, text })) };
}

/** Begins a log and returns its epoch. */
export async function begin(store: Store, log: string, texts: readonly string[]): Promise<string> {
  const result = await store.append(log, request(undefined, 0, texts));
  if (!result.ok) throw new Error(`the log ${log} exists already`);
  return result.epoch;
}

/** Returns the contents of a log as texts; `undefined` if it does not exist. */
export async function texts(store: Store, log: string): Promise<string[] | undefined> {
  return (await store.read(log, 0))?.records.map(({ text }) => text);
}

/** A writer's knowledge of a log. */
export class Writer {
  readonly store: Store;
  readonly log: string;
  epoch: string | undefined;
  seq = 0;

  constructor(store: Store, log: string) {
    this.store = store;
    this.log = log;
  }

  /** Appends as a kernel does: after a conflict it takes in the tail and tries again. Returns the seq of the first text. */
  async append(texts: readonly string[]): Promise<number> {
    for (;;) {
      const expectedSeq = this.seq;
      const result = await this.store.append(this.log, request(this.epoch, expectedSeq, texts));
      this.learn(result, expectedSeq + texts.length);
      if (result.ok) return expectedSeq + 1;
    }
  }

  /** Takes in the answer to an append that ends at `seq`. */
  learn(result: AppendResult, seq: number): void {
    const { epoch } = result.ok ? result : result.conflict;
    this.epoch = epoch;
    this.seq = result.ok ? seq : (result.conflict.tail.at(-1)?.seq ?? this.seq);
  }
}
