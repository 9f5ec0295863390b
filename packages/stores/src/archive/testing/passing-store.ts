import type { Store } from '@loom/kernel';

/** The methods of a store, to be replaced one by one. */
export function passOn(store: Store): Store {
  return {
    capabilities: store.capabilities,
    logs: () => store.logs(),
    read: (log, after, through) => store.read(log, after, through),
    append: (log, request) => store.append(log, request),
    fold: (log, request) => store.fold(log, request),
    readProjection: (log, name, prefix) => store.readProjection(log, name, prefix),
    readPartOfAll: (name, key) => store.readPartOfAll(name, key),
    writeProjection: (log, name, request) => store.writeProjection(log, name, request),
    listen: (log, wake) => store.listen(log, wake),
    lease: (key, holder, milliseconds) => store.lease(key, holder, milliseconds),
    release: (key, holder) => store.release(key, holder),
    nextClientId: (above) => store.nextClientId(above),
    putBlob: (bytes) => store.putBlob(bytes),
    getBlob: (id) => store.getBlob(id),
    close: () => store.close(),
  };
}
