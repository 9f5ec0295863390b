import type { ListedLease } from '@loom/kernel/store';

/** A holder's claim on something, and its expiry time. */
export interface Lease {
  holder: string;
  until: number;
}

/** The leases with a prefix as a list shows them. */
export function listLeases(leases: ReadonlyMap<string, Lease>, prefix: string, now: number): ListedLease[] {
  return [...leases]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, { holder, until }]) => ({ key, holder, left: Math.max(0, until - now) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
