import { existsSync } from 'node:fs';
import { passOn, StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import type { NodeFilesPort } from '@loom/node-files';
import type { HeldLock } from '../files/lock.ts';

/**
 * Returns a store that acknowledges nothing once its writer has lost its lock: the data folder, or `loom.lock` in it, was removed, and another
 * process may be writing there. It checks before a write, which would damage the other process's data, and after it.
 */
export function guardStore(store: Store, lock: HeldLock, dataDir: string): Store {
  const look = sharedByNeighbours(() => requireLock(lock, dataDir));
  const guarded = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    look();
    const result = await write();
    look();
    return result;
  };
  return {
    ...passOn(store),
    append: (log, request) => guarded(() => store.append(log, request)),
    fold: (log, request) => guarded(() => store.fold(log, request)),
    rewrite: (rewrites) => guarded(() => store.rewrite(rewrites)),
    writeProjection: (log, name, request) => guarded(() => store.writeProjection(log, name, request)),
    putOnce: (key, value, milliseconds) => guarded(() => store.putOnce(key, value, milliseconds)),
    takeOnce: (key) => guarded(() => store.takeOnce(key)),
    nextClientId: (above) => guarded(() => store.nextClientId(above)),
    putBlob: (bytes) => guarded(() => store.putBlob(bytes)),
    async createBlob() {
      const writer = await guarded(() => store.createBlob());
      return {
        write: (bytes) => writer.write(bytes),
        finish: () => guarded(() => writer.finish()),
        abandon: () => writer.abandon(),
      };
    },
    sweepBlobs: (request) => guarded(() => store.sweepBlobs(request)),
    async openSpool(name) {
      const spool = await guarded(() => store.openSpool(name));
      return {
        get size() {
          return spool.size;
        },
        append: (bytes) => guarded(() => spool.append(bytes)),
        sync: () => guarded(() => spool.sync()),
        read: (range) => spool.read(range),
        finish: () => guarded(() => spool.finish()),
        drop: () => guarded(() => spool.drop()),
      };
    },
  };
}

/** The same for the files beside the logs, whose writes would recreate a removed folder. */
export function guardFiles(files: NodeFilesPort, lock: HeldLock, dataDir: string): NodeFilesPort {
  const guarded = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    requireLock(lock, dataDir);
    return write();
  };
  return {
    ...files,
    makeDirectory: (path) => guarded(() => files.makeDirectory(path)),
    open: (path, how) => guarded(() => files.open(path, how)),
    rename: (from, to) => guarded(() => files.rename(from, to)),
    remove: (path) => guarded(() => files.remove(path)),
  };
}

/**
 * Shares one look among consecutive microtasks, such as those of writes that one commit has answered: the first of them does it, since no write can
 * end in between. With 64 concurrent writers, the looks took a quarter of the time otherwise.
 */
function sharedByNeighbours(look: () => void): () => void {
  let isFresh = false;
  return () => {
    if (isFresh) return;
    look();
    isFresh = true;
    queueMicrotask(() => (isFresh = false));
  };
}

function requireLock(lock: HeldLock, dataDir: string): void {
  if (lock.isInPlace()) return;
  const what = existsSync(dataDir) ? `loom.lock in ${dataDir}` : dataDir;
  throw new StoreError(
    'store-failed',
    `${what} was removed or replaced, so this process does not write there any more`,
    'What was acknowledged before went with it: put it back, then try again. What came later was not stored.',
  );
}
