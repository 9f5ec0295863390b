import type { Clock } from '../../ports.ts';
import type { Store } from '../../store.ts';

/** How long a lease holds without being renewed, in milliseconds. */
export const leaseTime = 15_000;

/** The leases by which turns belong to this process. */
export class TurnLeases {
  readonly #options: { store: Store; clock: Clock; holder: string; exclusive?: boolean };

  constructor(options: { store: Store; clock: Clock; holder: string; exclusive?: boolean }) {
    this.#options = options;
  }

  /** Whether the turn belongs to this process now. One that is alone needs to ask no other. */
  async take(turn: string): Promise<boolean> {
    const { store, holder, exclusive = false } = this.#options;
    return (await store.lease(leaseKey(turn), holder, leaseTime)) || exclusive;
  }

  /** Gives a lease back. If that fails it just runs out. */
  async release(turn: string): Promise<void> {
    const { store, holder } = this.#options;
    await store.release(leaseKey(turn), holder).catch(() => {});
  }

  /** Renews a lease until the returned function is called; `lost` is called when another process has it. */
  keep(turn: string, lost: () => Promise<void>): () => void {
    let isOver = false;
    let cancel = (): void => {};
    const renew = (): void => {
      // A renewal may have been under way when the turn ended: going on would keep the lease from other processes for ever.
      if (isOver) return;
      cancel = this.#options.clock.after(leaseTime / 3, () => {
        this.take(turn)
          .then((held) => (held ? renew() : lost()), lost)
          .catch(() => {});
      });
    };
    renew();
    return () => {
      isOver = true;
      cancel();
    };
  }
}

function leaseKey(turn: string): string {
  return `turn/${turn}`;
}
