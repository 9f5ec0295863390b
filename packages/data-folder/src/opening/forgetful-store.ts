import type { Store } from '@loom/kernel/store';

/**
 * Returns a store for readers: their writes are accepted and forgotten, and later writes of other processes are not seen. So a reader can recover a
 * conversation for itself as the next writer will, and shows exactly the state that one will find.
 */
export function forgetWrites(store: Store): Store {
  return {
    capabilities: { durable: false, shared: false, forgets: true },
    logs: () => store.logs(),
    heads: (request) => store.heads(request),
    read: (log, afterSeq, throughSeq) => store.read(log, afterSeq, throughSeq),
    append: (_log, { epoch = '' }) => Promise.resolve({ ok: true, epoch }),
    fold: () => Promise.resolve(false),
    rewrite: () => Promise.resolve(false),
    readProjection: (log, name, prefix) => store.readProjection(log, name, prefix),
    writeProjection: () => Promise.resolve(false),
    listen: () => () => undefined,
    listenAll: () => () => undefined,
    announce: () => undefined,
    hear: () => () => undefined,
    lease: () => Promise.resolve(true),
    release: () => Promise.resolve(),
    leases: () => Promise.resolve([]),
    putOnce: () => Promise.resolve(),
    takeOnce: () => Promise.resolve(undefined),
    nextClientId: () => Promise.resolve(2),
    putBlob: keepNothing,
    getBlob: (id, range) => store.getBlob(id, range),
    blobSize: (id) => store.blobSize(id),
    createBlob: keepNothing,
    sweepBlobs: () => Promise.resolve({ blobs: 0, bytes: 0 }),
    // A process's leftovers in spools are for the next writer: they become blobs, which a reader cannot keep.
    openSpool: keepNothing,
    spools: () => Promise.resolve([]),
    close: () => store.close(),
  };
}

function keepNothing(): Promise<never> {
  return Promise.reject(new TypeError('a reader keeps no blobs'));
}
