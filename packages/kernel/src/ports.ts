/** Time, handed in so that a simulator can make it jump. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after a while; returns how to prevent that. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Makes ids that sort by time and never repeat. */
export interface Ids {
  next(): string;
}

/** A hash as lower-case hex, for prefixes: the same text gives the same hash on every machine. */
export interface Hash {
  hex(text: string): string;
}
