/** Bytes that are kept apart from blocks, by their hash. */
export interface BlobPort {
  /** The bytes, or a range of them; `undefined` if there are no such bytes. */
  get(id: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Their length; `undefined` if there are no such bytes. */
  size(id: string): Promise<number | undefined>;
  /** Resolves with their id once they are durable. */
  put(bytes: Uint8Array): Promise<string>;
  /** Begins a blob that comes in pieces and is never held in memory as a whole. */
  create(): Promise<BlobWriter>;
}

/** Bytes that grow under names, until they become blobs. */
export interface SpoolPort {
  /** Begins a spool, or goes on with the one of this name. */
  open(name: string): Promise<Spool>;
  /** The names of the spools that are there. */
  names(): Promise<string[]>;
}

/** A part of some bytes. A range beyond their end is cut off there. */
export interface ByteRange {
  /** The first byte, counted from 0. */
  start?: number;
  /** The byte behind the last one. */
  end?: number;
}

/** A blob that is complete and durable. */
export interface FinishedBlob {
  id: string;
  /** Its length. */
  bytes: number;
}

/** Bytes on their way to becoming a blob. After a failure every later call fails with it, and nothing is left of them. */
export interface BlobWriter {
  /** Resolves when there is room for more; a caller that does not wait fills the memory. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves once the blob is durable. Nothing can be written afterwards. */
  finish(): Promise<FinishedBlob>;
  /** Removes everything that was written, unless it is finished. Idempotent. */
  abandon(): Promise<void>;
}

/**
 * Bytes that grow under a name and can be found by it after a crash. Opening a spool again takes it away from its former
 * owner: later writes of that owner are lost, and touch nothing. After a failure every later call fails with it;
 * acknowledged bytes are there when the spool is opened again.
 */
export interface Spool {
  /** The number of bytes, those under way included. */
  readonly size: number;
  /**
   * Resolves when the bytes would survive the end of this process; a power cut may take them until `sync`. Until then the array belongs to
   * the spool and must not be changed: a copy of everything that is printed would take a fifth of the time.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything appended until now would survive a power cut. */
  sync(): Promise<void>;
  read(range?: ByteRange): Promise<Uint8Array>;
  /**
   * Makes a blob of the spool and resolves once that is durable. It may be called again with the same result, also after a
   * crash, until the spool is dropped: so no crash comes between the blob and the change that cites it.
   */
  finish(): Promise<FinishedBlob>;
  /** Forgets the spool; the blob, if it was finished, stays. Idempotent. */
  drop(): Promise<void>;
}
