import type { Fetch } from './ports.ts';
import type { ServerPlace } from './server-place.ts';

/** A way to the feed, for one connection. */
export interface Transport {
  /** Takes the text of a frame. */
  send(text: string): void;
  /** Ends the connection; nothing is told from then on. */
  close(): void;
}

/** The events of a transport. After `lost` there are none. */
export interface TransportEvents {
  opened(): void;
  /** Frames that arrived, as JSON was read. */
  received(frames: readonly unknown[]): void;
  /** The connection is gone, or never came about. */
  lost(error: unknown): void;
}

export interface TransportOptions {
  place: () => Promise<ServerPlace>;
  /** The server did not answer there, or did not let the client in. */
  lose: (place: ServerPlace) => void;
  fetch: Fetch;
  ticket: () => Promise<string>;
}
