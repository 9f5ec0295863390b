import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/**
 * Makes an empty file for its owner only, unless there is one: SQLite would make it for everybody. The companions that it makes beside a
 * database have the rights of that.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // The file exists; or else SQLite says what is wrong with its place.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

/** Takes from everybody but its owner what older versions of Loom gave them: the right to read a file and its companions. */
export function closeToOthers(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & 0o077) === 0 || found.uid !== process.getuid?.()) continue;
    chmodSync(file, found.mode & 0o700);
  }
}
