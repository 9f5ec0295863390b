import type { Clock } from '@loom/kernel';
import type { Permissions } from '../policy/permissions.ts';

/** The network as `fetch_url` sees it; tests hand in another one. */
export interface WebNetwork {
  /** Returns all addresses of a host. Default: those that the system knows. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** Returns true for addresses that may be reached. Default: public ones. */
  mayReach?: (address: string) => boolean;
}

/** The parts that web pages are read with. */
export interface WebPorts {
  readonly clock: Clock;
  readonly permissions: () => Promise<Permissions>;
  readonly network?: WebNetwork;
}
