import assert from 'node:assert/strict';
import type { Spool, Store } from '@loom/kernel/store';

/** The bytes that must be, and may be, in a spool. */
interface ExpectedSpool {
  /** Everything that was appended, acknowledged or not. */
  bytes: Uint8Array;
  /** The number of bytes that survive a power cut. */
  durable: number;
  mayBeFinished: boolean;
  mayBeGone: boolean;
}

/**
 * The bytes that spools were given, and therefore those that must be in them after a crash: at least what was synced, and nothing but the
 * beginning of it all.
 */
export class SpoolHistory {
  readonly #expected = new Map<string, ExpectedSpool>();
  readonly #busy = new Set<string>();
  readonly #isCrashed: () => boolean;
  readonly #finished: (id: string, bytes: Uint8Array) => void;

  /** `finished` receives every blob that was acknowledged. */
  constructor(isCrashed: () => boolean, finished: (id: string, bytes: Uint8Array) => void) {
    this.#isCrashed = isCrashed;
    this.#finished = finished;
  }

  /** Appends to a spool, and now and then syncs, finishes or drops it. One that another work has is left alone. */
  async grow(store: Store, name: string, text: string, chance: number): Promise<void> {
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    try {
      const expected = this.#expected.get(name) ?? newSpool();
      this.#expected.set(name, expected);
      const spool = await this.#open(store, name, expected);
      if (!expected.mayBeFinished) await this.#append(spool, expected, text, chance);
      if (chance > 0.7 || expected.mayBeFinished) await this.#finish(spool, name, expected);
    } finally {
      this.#busy.delete(name);
    }
  }

  /** Asserts that everything synced is there. */
  async check(store: Store): Promise<void> {
    for (const [name, expected] of this.#expected) await this.#open(store, name, expected);
  }

  async #open(store: Store, name: string, expected: ExpectedSpool): Promise<Spool> {
    const spool = await store.openSpool(name);
    const found = await spool.read();
    const isGone = expected.mayBeGone && found.length === 0;
    const whole = Buffer.from(expected.bytes).toString('latin1');
    assert.ok(whole.startsWith(Buffer.from(found).toString('latin1')), `${name} has bytes that were never appended`);
    if (!isGone) assert.ok(found.length >= expected.durable, `${name} has lost bytes that were synced`);
    if (this.#isCrashed()) return spool;
    // Bytes once read are there from now on.
    expected.bytes = found;
    expected.durable = found.length;
    if (isGone) expected.mayBeFinished = false;
    expected.mayBeGone = false;
    return spool;
  }

  async #append(spool: Spool, expected: ExpectedSpool, text: string, chance: number): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    for (const part of [bytes.subarray(0, 7), bytes.subarray(7)]) {
      expected.bytes = Buffer.concat([expected.bytes, part]);
      await spool.append(part);
    }
    if (chance < 0.3) return;
    const { length } = expected.bytes;
    await spool.sync();
    if (!this.#isCrashed()) expected.durable = length;
    const last = new TextEncoder().encode('last');
    expected.bytes = Buffer.concat([expected.bytes, last]);
    await spool.append(last);
  }

  async #finish(spool: Spool, name: string, expected: ExpectedSpool): Promise<void> {
    expected.mayBeFinished = true;
    const { id, bytes } = await spool.finish();
    if (this.#isCrashed()) return;
    assert.equal(bytes, expected.bytes.length, `${name} was finished with other bytes`);
    expected.durable = bytes;
    this.#finished(id, Uint8Array.from(expected.bytes));
    expected.mayBeGone = true;
    await spool.drop();
    if (!this.#isCrashed()) this.#expected.set(name, newSpool());
  }
}

function newSpool(): ExpectedSpool {
  return { bytes: new Uint8Array(), durable: 0, mayBeFinished: false, mayBeGone: false };
}
