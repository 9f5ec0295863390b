import type { FilesPort, OpenFile } from '../disk/files-port.ts';
import { failedWith, isDenied } from '../disk/files-port.ts';

/**
 * Wraps a file system so that nothing can be written to it. Present files may still be made durable, as far as the system lets this
 * process: a reader that shows something that a killed process has left must not show what a power cut takes away.
 */
export function forReading(files: FilesPort): FilesPort {
  return {
    list: (directory) => files.list(directory),
    read: (path, from, to) => files.read(path, from, to),
    facts: (path) => files.facts(path),
    touch: refuse,
    isLink: (path) => files.isLink?.(path) === true,
    makeDirectory: refuse,
    removeDirectory: refuse,
    rename: refuse,
    remove: refuse,
    syncDirectory: (path) => files.syncDirectory(path).catch(allowReadOnly),
    async open(path, how) {
      if (how === 'create') return refuse();
      const file = await files.open(path, how).catch(allowReadOnly);
      return file === undefined ? unwritable : { ...unwritable, sync: () => file.sync(), close: () => file.close() };
    },
  };
}

const unwritable: OpenFile = {
  write: refuse,
  truncate: refuse,
  sync: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

function refuse(): Promise<never> {
  return Promise.reject(Object.assign(new Error('this store is only read'), { code: 'EROFS' }));
}

/** A read-only medium, or the folder of another user: this process cannot write there, so nothing is left to be synced. */
function allowReadOnly(error: unknown): undefined {
  if (failedWith(error, 'EROFS') || isDenied(error)) return undefined;
  throw error;
}
