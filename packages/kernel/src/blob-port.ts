/** Bytes that are kept apart from blocks, by their hash. */
export interface BlobPort {
  /** `undefined` if there are no such bytes. */
  get(id: string): Promise<Uint8Array | undefined>;
  /** Answers with their id once they are durable. */
  put(bytes: Uint8Array): Promise<string>;
}
