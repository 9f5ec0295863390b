/**
 * The calls on files that stores make, which a simulated file system has to stand in for. Every call rejects with an `Error` that has the
 * `code` of the system (`ENOENT`, `EEXIST`, `ENOSPC`, …). Nothing but a sync makes anything durable.
 */
export interface FilesPort {
  /** The names in a directory. */
  list(directory: string): Promise<string[]>;
  /** Makes one directory, for its owner only; `EEXIST` if it is there. */
  makeDirectory(path: string): Promise<void>;
  /** Removes an empty directory. */
  removeDirectory(path: string): Promise<void>;
  /** Makes the entries of a directory durable. */
  syncDirectory(path: string): Promise<void>;
  /** Bytes from a position (0) up to another one or the end of the file. */
  read(path: string, from?: number, to?: number): Promise<Uint8Array>;
  /** Renames a file, replacing one that has the second name. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The size of a file and when it was written or touched last, in milliseconds since 1970. */
  facts(path: string): Promise<{ size: number; modified: number }>;
  /** Says that a file was written at this time. */
  touch(path: string, time: number): Promise<void>;
  /** Returns true if a path is a symbolic link; absent on a file system without links. */
  isLink?(path: string): boolean;
  /** `create` makes a new file, or fails with `EEXIST`; `change` needs one that exists. */
  open(path: string, how: 'create' | 'change'): Promise<OpenFile>;
}

/** A file that is open for writing. */
export interface OpenFile {
  /** Writes at a position. Returns the number of bytes written, which may be fewer than were given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Cuts the file. */
  truncate(length: number): Promise<void>;
  /** Makes the contents durable. After a failure it is unknown which are, and another sync of this file proves nothing. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Returns true if a call failed with this code. */
export function failedWith(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Returns true if the system denied this process what it asked for. */
export function isDenied(error: unknown): boolean {
  return failedWith(error, 'EACCES') || failedWith(error, 'EPERM');
}
