import type { AppendRequest, Store } from '@loom/kernel/store';
import { passOn, StoreError } from '@loom/kernel/store';
import { withFaults } from '@loom/stores/memory';
import type { AppendFault, MemoryStore } from '@loom/stores/memory';

/** The fault of a process's next access to the store. `overtaken`: another writer is faster. */
export type StoreFault = AppendFault | 'overtaken' | 'fail-read' | 'fail-lease';

/** The observers of the store, and the functions that decide the fate of each access. */
export interface StoreWatch {
  /** Waits, for as long as the seed wants, before and after each access. */
  pause: () => Promise<void>;
  /** Returns the fault of this access, which is thereby used up. */
  takeFault: (access: AppendRequest | 'read' | 'lease') => StoreFault | undefined;
  /** Lets another process append to the log first. */
  overtake: (log: string) => Promise<void>;
  /** Called with every append that has become durable, before any other effect of it, and with every one that was too late. */
  onAppend: (log: string, request: AppendRequest, isAppended: boolean) => void;
  onLease: (key: string, holder: string, milliseconds: number) => void;
  /** Lets a notification of an append through: at once, late, or, if it is lost, when the store looks for news on its own. */
  notify: () => Promise<void>;
  onRelease: (key: string, holder: string) => void;
}

/** Creates the store as one process of the simulation sees it: slow in every direction, and now and then broken. */
export function createProcessStore(handle: MemoryStore, watch: StoreWatch): Store {
  const { pause, takeFault, overtake, notify } = watch;
  const faulty = withFaults(watchAppends(handle, watch), async ({ log, request }) => {
    const fault = takeFault(request);
    if (fault === 'overtaken') await overtake(log);
    return isAppendFault(fault) ? fault : undefined;
  });
  return {
    ...faulty,
    async append(log, request) {
      await pause();
      const result = await faulty.append(log, request);
      await pause();
      return result;
    },
    async read(log, afterSeq, throughSeq) {
      await pause();
      if (takeFault('read') !== undefined) throw plannedFailure();
      const contents = await handle.read(log, afterSeq, throughSeq);
      await pause();
      return contents;
    },
    async fold(log, request) {
      await pause();
      const isFolded = await handle.fold(log, request);
      await pause();
      return isFolded;
    },
    async readProjection(log, name, prefix) {
      await pause();
      const projection = await handle.readProjection(log, name, prefix);
      await pause();
      return projection;
    },
    async writeProjection(log, name, request) {
      await pause();
      const isWritten = await handle.writeProjection(log, name, request);
      await pause();
      return isWritten;
    },
    // Other processes hear of an append late, so that they act on outdated facts.
    listen: (log, wake) => handle.listen(log, (seq) => void notify().then(() => wake(seq))),
    listenAll: (wake) => handle.listenAll((log) => void notify().then(() => wake(log))),
    async leases(prefix) {
      await pause();
      if (takeFault('lease') !== undefined) throw plannedFailure();
      const leases = await handle.leases(prefix);
      await pause();
      return leases;
    },
    async lease(key, holder, milliseconds) {
      await pause();
      if (takeFault('lease') !== undefined) throw plannedFailure();
      const isHeld = await handle.lease(key, holder, milliseconds);
      if (isHeld) watch.onLease(key, holder, milliseconds);
      return isHeld;
    },
    async release(key, holder) {
      await pause();
      await handle.release(key, holder);
      watch.onRelease(key, holder);
    },
  };
}

function isAppendFault(fault: StoreFault | undefined): fault is AppendFault {
  return fault === 'conflict' || fault === 'fail-before' || fault === 'fail-after';
}

function plannedFailure(): StoreError {
  return new StoreError('store-failed', 'the store failed as planned', 'Try again.');
}

/** Reports every append in the order in which they become durable. */
export function watchAppends(store: Store, { onAppend }: Pick<StoreWatch, 'onAppend'>): Store {
  return {
    ...passOn(store),
    async append(log, request) {
      const result = await store.append(log, request);
      onAppend(log, request, result.ok);
      return result;
    },
  };
}
