import type { Clock } from '../../ports.ts';
import type { ListedLease, Store } from '../../store.ts';

/** The time for which a lease holds without being renewed, in milliseconds. */
export const leaseTime = 15_000;

/** The wait before a renewal that failed is tried again, in milliseconds. */
const retryDelay = 1_000;

/** A turn that is leased to another process, or was. */
export interface ForeignTurn {
  /** `undefined` if the key does not say it, as those of older versions. */
  root: string | undefined;
  turn: string;
  /** The time for which the lease still holds, in milliseconds; 0 if it has run out. */
  left: number;
  key: string;
}

/** The leases by which turns belong to this process. */
export class TurnLeases {
  readonly #options: { store: Store; clock: Clock; holder: string; exclusive?: boolean };

  constructor(options: { store: Store; clock: Clock; holder: string; exclusive?: boolean }) {
    this.#options = options;
  }

  /** Returns true if the turn belongs to this process now. One that is alone needs to ask no other. */
  async take(root: string, turn: string): Promise<boolean> {
    const { store, holder, exclusive = false } = this.#options;
    return (await store.lease(leaseKey(root, turn), holder, leaseTime)) || exclusive;
  }

  /** Gives a lease back. If that fails it just runs out. */
  async release(root: string, turn: string): Promise<void> {
    const { store, holder } = this.#options;
    await store.release(leaseKey(root, turn), holder).catch(() => {});
  }

  /** The turns that are leased to other processes, those included whose leases have run out. */
  async foreign(): Promise<ForeignTurn[]> {
    const { store, holder } = this.#options;
    const listed = await store.leases(leasePrefix);
    return listed.filter((lease) => lease.holder !== holder).map(readLease);
  }

  /** Removes a lease that has run out, unless its holder or another process has it again. */
  async discard({ key }: ForeignTurn): Promise<void> {
    const { store, holder } = this.#options;
    if (await store.lease(key, holder, leaseTime)) await store.release(key, holder);
  }

  /**
   * Renews a lease until the returned function is called. A renewal that fails is tried again for as long as the lease holds; `lost` is called
   * when it has run out, or another process has it.
   */
  keep(root: string, turn: string, lost: () => Promise<void>): () => void {
    const { clock } = this.#options;
    let isOver = false;
    let cancel = (): void => {};
    // The lease holds from some moment after it was asked for. The wait counts too, since a clock may be set back.
    let [heldFrom, waited] = [clock.now(), 0];
    const wait = (milliseconds: number): void => {
      waited += milliseconds;
      // A renewal may have been under way when the turn ended: going on would keep the lease from other processes for ever.
      if (!isOver) cancel = clock.after(milliseconds, () => void renew().catch(() => {}));
    };
    const renew = async (): Promise<void> => {
      const asked = clock.now();
      const isHeld = await this.take(root, turn).catch(() => undefined);
      if (isHeld === true) {
        [heldFrom, waited] = [asked, 0];
        return wait(leaseTime / 3);
      }
      const left = leaseTime - Math.max(waited, clock.now() - heldFrom);
      if (isHeld === undefined && left > 0) return wait(Math.min(retryDelay, left));
      if (!isOver) await lost();
    };
    wait(leaseTime / 3);
    return () => {
      isOver = true;
      cancel();
    };
  }
}

const leasePrefix = 'turn/';

/** Names the root, so that a process that sweeps knows what to recover. */
function leaseKey(root: string, turn: string): string {
  return `${leasePrefix}${root}/${turn}`;
}

function readLease({ key, left }: ListedLease): ForeignTurn {
  const end = key.lastIndexOf('/');
  const root = end < leasePrefix.length ? undefined : key.slice(leasePrefix.length, end);
  return { key, left, root, turn: key.slice(end + 1) };
}
