import { formatOfChange } from '@loom/kernel/logs';
import type { NewRecord, Store } from '@loom/kernel/store';
import { ArchiveError } from './archive-error.ts';
import { chainHash, chainStart } from './log-chain.ts';
import type { ChainPoint } from './log-chain.ts';
import type { ReadChange } from './log-record.ts';
import { walkLog } from './log-walk.ts';
import type { ChainedChange } from './read-archive.ts';

/**
 * A log that an archive is imported into. Its changes are compared with those of the archive one by one; only those behind them are
 * appended. So a log never has anything in front of a change but what the archive has there.
 */
export class TargetLog {
  readonly #store: Store;
  readonly #name: string;
  /** The point up to which an earlier import compared it. */
  #known: ChainPoint;
  /** The point up to which this one compared or appended. */
  #at: ChainPoint;
  #epoch: string | undefined;
  #present: AsyncGenerator<PresentChange, void, void> | undefined;
  #isAtEnd = false;
  #records: NewRecord[] = [];
  #size = 0;
  /** The number that the readers of its records have to know. */
  #format = 0;
  /** The number of changes appended. */
  appended = 0;

  static async open(store: Store, name: string): Promise<TargetLog> {
    const projection = await store.readProjection(name, comparedProjection);
    const hash = projection?.parts.find(({ key }) => key === 'hash')?.text;
    const isKnown = projection !== undefined && hash !== undefined && /^[0-9a-f]{64}$/u.test(hash);
    return new TargetLog(store, name, isKnown ? { seq: projection.seq, hash } : chainStart(name));
  }

  private constructor(store: Store, name: string, known: ChainPoint) {
    this.#store = store;
    this.#name = name;
    this.#known = known;
    this.#at = known;
  }

  /** Makes sure that the log has the base of an increment. */
  async expect({ seq, hash }: ChainPoint): Promise<void> {
    if (this.#known.seq > seq) this.#compareAnew();
    while (this.#at.seq < seq) if (!(await this.#stepPresent())) throw this.#baseMissing(seq);
    if (this.#at.hash !== hash) throw this.#diverged(seq);
  }

  /** Takes in the next record. */
  async take(text: string, changes: readonly ChainedChange[]): Promise<void> {
    const added: ChainedChange[] = [];
    for (const change of changes) if (await this.#isNew(change)) added.push(change);
    const [first, last] = [added[0], added.at(-1)];
    if (first !== undefined && last !== undefined && added.length === changes.length) {
      this.#records.push({ first: first.seq, seq: last.seq, text });
    } else {
      for (const change of added) this.#records.push({ seq: change.seq, text: change.encode() });
    }
    for (const change of added) this.#format = Math.max(this.#format, formatOfChange(change));
    this.appended += added.length;
    this.#size += text.length;
    if (this.#size > batchLength || this.#records.length >= batchRecords) await this.#flush();
  }

  /** Writes the rest, and notes how far the log was compared. */
  async finish({ seq, hash }: ChainPoint): Promise<void> {
    await this.#flush();
    const isBehind = seq < this.#known.seq;
    if (isBehind) await this.expect({ seq, hash });
    await this.#present?.return();
    if (isBehind || this.#epoch === undefined || seq === this.#known.seq) return;
    const request = { epoch: this.#epoch, seq, base: undefined, put: [{ key: 'hash', text: hash }], drop: [] };
    await this.#store.writeProjection(this.#name, comparedProjection, request);
  }

  /** Returns true if a change comes after all that the log has; a change that the log has must be equal. */
  async #isNew(change: ChainedChange): Promise<boolean> {
    // Equal hashes at a later change say that all before it are equal.
    if (change.seq < this.#known.seq) return false;
    if (change.seq === this.#known.seq) {
      if (change.hash !== this.#known.hash) throw this.#diverged(change.seq);
      return false;
    }
    if (!this.#isAtEnd && (await this.#stepPresent())) {
      if (this.#at.hash !== change.hash) throw this.#diverged(change.seq);
      return false;
    }
    this.#at = { seq: change.seq, hash: change.hash };
    return true;
  }

  async #flush(): Promise<void> {
    const records = this.#records;
    [this.#records, this.#size] = [[], 0];
    const [first] = records;
    if (first === undefined) return;
    const expectedSeq = (first.first ?? first.seq) - 1;
    const request = { epoch: this.#epoch, expectedSeq, records, format: this.#format };
    const result = await this.#store.append(this.#name, request);
    if (!result.ok) throw this.#busy();
    this.#epoch = result.epoch;
  }

  /** Goes to the next change that is there; false at the end. */
  async #stepPresent(): Promise<boolean> {
    this.#present ??= this.#walk(this.#at.seq);
    const next = await this.#present.next();
    if (next.done === true) {
      this.#isAtEnd = true;
      return false;
    }
    const { epoch, change } = next.value;
    this.#epoch = epoch;
    this.#at = { seq: change.seq, hash: chainHash(this.#at.hash, change.canonical) };
    return true;
  }

  async *#walk(after: number): AsyncGenerator<PresentChange, void, void> {
    for await (const { epoch, records } of walkLog(this.#store, this.#name, after)) {
      this.#epoch = epoch;
      for (const { changes } of records) for (const change of changes) yield { epoch, change };
    }
  }

  #compareAnew(): void {
    this.#known = chainStart(this.#name);
    this.#at = this.#known;
    this.#present = undefined;
    this.#isAtEnd = false;
  }

  #diverged(seq: number): ArchiveError {
    return new ArchiveError(
      'archive-diverged',
      `the log ${JSON.stringify(this.#name)} and the archive differ in the changes up to ${seq}`,
      'Other changes were made here. Import into an empty data directory instead.',
    );
  }

  #baseMissing(seq: number): ArchiveError {
    return new ArchiveError(
      'archive-base-missing',
      `the archive goes on after change ${seq} of the log ${JSON.stringify(this.#name)}, which is not here`,
      'Import the archives that it builds on first, the oldest first.',
    );
  }

  #busy(): ArchiveError {
    return new ArchiveError(
      'archive-log-busy',
      `another process has written to the log ${JSON.stringify(this.#name)} meanwhile`,
      'End that process, then import again.',
    );
  }
}

interface PresentChange {
  epoch: string;
  change: ReadChange;
}

/** The projection that says up to where a log is known to be equal to an archive. */
const comparedProjection = 'archive';

/** The approximate size of one append: in UTF-16 units, and in changes. */
const batchLength = 1024 * 1024;
const batchRecords = 1024;
