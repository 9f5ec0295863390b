/** The present and former leases of each process. A store does not report released leases, so its watcher keeps this book. */
export class LeaseBook {
  readonly #leases = new Map<string, { holder: string; until: number }>();
  readonly #grants: { key: string; holder: string }[] = [];

  /** The number of leases granted or renewed so far. */
  get granted(): number {
    return this.#grants.length;
  }

  grant(key: string, holder: string, until: number): void {
    this.#leases.set(key, { holder, until });
    this.#grants.push({ key, holder });
  }

  release(key: string, holder: string): void {
    if (this.holderOf(key) === holder) this.#leases.delete(key);
  }

  /** Returns the last holder, even if the lease has run out since. */
  holderOf(key: string): string | undefined {
    return this.#leases.get(key)?.holder;
  }

  isFree(key: string, now: number): boolean {
    return (this.#leases.get(key)?.until ?? 0) <= now;
  }

  wasGrantedToOthers(key: string, holder: string, since: number): boolean {
    return this.#grants.slice(since).some((grant) => grant.key === key && grant.holder !== holder);
  }
}
