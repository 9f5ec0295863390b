import type { Loss } from '../losses.ts';

/** The losses that a person knows of. */
export class AcknowledgedLosses {
  readonly #losses = new Map<string, Loss[]>();

  /** All of them, as values to store. */
  list(): [log: string, seq: number, epoch?: string][] {
    return [...this.#losses].flatMap(([log, known]) =>
      known.map(({ seq, epoch }): [string, number, string?] => (epoch === undefined ? [log, seq] : [log, seq, epoch])),
    );
  }

  add(log: string, { seq, epoch }: Loss): void {
    const known = this.#losses.get(log) ?? [];
    known.push(epoch === undefined ? { seq } : { seq, epoch });
    this.#losses.set(log, known);
  }

  /**
   * Returns true if a person knows of a loss. A log that took the place of a lost one begins anew, with lower numbers, and may be lost
   * too: the epoch tells them apart, except for losses that an older version has noted without one.
   */
  has(log: string, { seq, epoch }: Loss): boolean {
    const known = this.#losses.get(log) ?? [];
    return known.some((loss) => loss.seq >= seq && (loss.epoch === undefined || loss.epoch === epoch));
  }
}
