import type { ClientPorts, Fetch } from '@loom/client';
import { createSortableIds } from '../sortable-ids.ts';
import { systemClock } from '../system-clock.ts';

/** Returns the services that a client of another process on this machine needs. */
export function clientPorts(fetch: Fetch, ids = createSortableIds()): ClientPorts {
  return { fetch, openSocket: (url: string) => new WebSocket(url), clock: systemClock, ids, random: Math.random };
}
