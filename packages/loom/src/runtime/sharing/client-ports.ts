import type { ClientPorts } from '@loom/client';
import { createSortableIds } from '../sortable-ids.ts';
import { systemClock } from '../system-clock.ts';

/** What a client of another process of this machine needs. */
export function clientPorts(ids = createSortableIds()): ClientPorts {
  return { fetch, openSocket: (url: string) => new WebSocket(url), clock: systemClock, ids, random: Math.random };
}
