import type { Store } from '@loom/kernel/store';

/**
 * A store as readers see it: what they write is accepted and forgotten, and what other processes write from now on is not
 * seen. So a reader can recover a conversation for itself as the next writer will, and shows exactly what that one will find.
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
    // What a process has left in spools is for the next writer: it becomes a blob, which a reader cannot keep.
    openSpool: keepNothing,
    spools: () => Promise.resolve([]),
    close: () => store.close(),
  };
}

function keepNothing(): Promise<never> {
  return Promise.reject(new TypeError('a reader keeps no blobs'));
}
