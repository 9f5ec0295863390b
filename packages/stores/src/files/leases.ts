import type { ListedLease } from '@loom/kernel/store';
import { listLeases } from '../lease.ts';
import type { Lease } from '../lease.ts';
import type { SealedFile } from './sealed-file.ts';
import { Turns } from '../turns.ts';

/** The leases: their holders and expiry times. */
export class Leases {
  readonly #file: SealedFile;
  readonly #turns = new Turns();
  #held: Map<string, Lease> | undefined;

  constructor(file: SealedFile) {
    this.#file = file;
  }

  take(key: string, holder: string, milliseconds: number, now: () => number): Promise<boolean> {
    return this.#turns.run(async () => {
      const held = await this.#load();
      const time = now();
      const present = held.get(key);
      if (present !== undefined && present.holder !== holder && present.until > time) return false;
      await this.#keep(new Map(held).set(key, { holder, until: time + milliseconds }));
      return true;
    });
  }

  release(key: string, holder: string): Promise<void> {
    return this.#turns.run(async () => {
      const held = await this.#load();
      if (held.get(key)?.holder !== holder) return;
      await this.#keep(new Map([...held].filter(([other]) => other !== key)));
    });
  }

  list(prefix: string, now: () => number): Promise<ListedLease[]> {
    return this.#turns.run(async () => listLeases(await this.#load(), prefix, now()));
  }

  async #keep(held: Map<string, Lease>): Promise<void> {
    await this.#file.write({ leases: Array.from(held, ([key, { holder, until }]) => ({ key, holder, until })) });
    this.#held = held;
  }

  async #load(): Promise<Map<string, Lease>> {
    if (this.#held !== undefined) return this.#held;
    const fields = await this.#file.read();
    // A lease is advice only, so those of a damaged file count for nothing.
    const leases: unknown = fields === undefined || fields === 'damaged' ? [] : fields['leases'];
    const entries = Array.isArray(leases) ? leases.filter(isEntry) : [];
    this.#held = new Map(entries.map(({ key, holder, until }) => [key, { holder, until }]));
    return this.#held;
  }
}

function isEntry(value: unknown): value is Lease & { key: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { key, holder, until } = { key: undefined, holder: undefined, until: undefined, ...value };
  return typeof key === 'string' && typeof holder === 'string' && typeof until === 'number';
}
