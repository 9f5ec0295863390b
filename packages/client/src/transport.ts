import type { Fetch } from './ports.ts';

/** A way to the feed, for one connection. */
export interface Transport {
  /** Takes the text of a frame. */
  send(text: string): void;
  /** Ends the connection; nothing is told any more. */
  close(): void;
}

/** What a transport tells. After `lost` it tells nothing. */
export interface TransportEvents {
  opened(): void;
  /** Frames that arrived, as JSON was read. */
  received(frames: readonly unknown[]): void;
  /** The connection is gone, or never came about. */
  lost(error: unknown): void;
}

export interface TransportOptions {
  url: string;
  token: string;
  fetch: Fetch;
  ticket: () => Promise<string>;
}
