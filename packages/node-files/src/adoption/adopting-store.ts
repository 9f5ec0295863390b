import { forestLogName, headsOfBoth } from '@loom/kernel/logs';
import { passOn } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { Adoption } from './adoption.ts';
import type { AdoptionOptions } from './adoption.ts';
import { copyList } from './forest-list.ts';
import { hasUnknownRoots } from '../reading/find-roots.ts';

/**
 * Opens a store that also holds the content of node files without a log: a root is adopted before it is first read or written. Only the list of roots
 * is made at once, so that a large directory opens quickly.
 */
export async function openAdoptingStore(options: AdoptionOptions): Promise<{ store: Store; adoption: Adoption }> {
  const adoption = await Adoption.open(options);
  const { store } = options;
  const settled = async <T>(log: string, work: () => Promise<T>): Promise<T> => {
    await adoption.settle(log);
    return work();
  };
  return {
    adoption,
    store: {
      ...passOn(store),
      read: (log, afterSeq, throughSeq) => settled(log, () => store.read(log, afterSeq, throughSeq)),
      append: (log, request) => settled(log, () => store.append(log, request)),
      fold: (log, request) => settled(log, () => store.fold(log, request)),
      async rewrite(rewrites) {
        for (const { log } of rewrites) await adoption.settle(log);
        return store.rewrite(rewrites);
      },
      readProjection: (log, name, prefix) => settled(log, () => store.readProjection(log, name, prefix)),
      writeProjection: (log, name, request) =>
        settled(log, () => {
          // The cached ledger may no longer be right.
          adoption.takeLedger(log);
          return store.writeProjection(log, name, request);
        }),
    },
  };
}

/**
 * Opens a store for readers of logs and of node files without logs: the latter are adopted in a store that is discarded afterwards. Without logs it
 * holds only the files. `findsUnlisted` also looks for folders without a log: conversations that came later, or that a damaged store has lost. That
 * takes a list of all logs, which not every store has at hand.
 */
export async function openAdoptingReader(
  logs: Store | undefined,
  options: AdoptionOptions,
  { findsUnlisted = false } = {},
): Promise<{ store: Store; adoption: Adoption }> {
  if (logs === undefined) return openAdoptingStore(options);
  const kept = options.store;
  const { adoption, lists } = await adoptBeside(logs, options, findsUnlisted);
  return {
    adoption,
    store: {
      ...passOn(logs),
      async read(log, afterSeq, throughSeq) {
        const contents = await (log === forestLogName ? lists : logs).read(log, afterSeq, throughSeq);
        if (contents !== undefined) return contents;
        await adoption.settle(log);
        return kept.read(log, afterSeq, throughSeq);
      },
      readProjection: async (log, name, prefix) =>
        (await (log === forestLogName ? lists : logs).readProjection(log, name, prefix)) ??
        kept.readProjection(log, name, prefix),
      heads: (request) => headsOfBoth(kept, logs, request),
      async close() {
        await kept.close();
        await logs.close();
      },
    },
  };
}

/** Returns the adoption of roots beside logs, and the store that has the list of roots. */
async function adoptBeside(
  logs: Store,
  options: AdoptionOptions,
  findsUnlisted: boolean,
): Promise<{ adoption: Adoption; lists: Store }> {
  const { store: kept, directory } = options;
  // A writer that was killed at its very beginning has left logs without a list; their files list them.
  const isListed = (await logs.read(forestLogName, 0, 1)) !== undefined;
  if (!isListed) return { adoption: await Adoption.open(options), lists: kept };
  const known = findsUnlisted ? await logs.logs() : [];
  if (!findsUnlisted || !(await hasUnknownRoots(directory, new Set(known)))) {
    return { adoption: new Adoption(options), lists: logs };
  }
  await copyList(logs, kept);
  const store = { ...passOn(kept), logs: () => Promise.resolve(known) };
  return { adoption: await Adoption.open({ ...options, store }), lists: kept };
}

/** Adopts everything in a directory at once. */
export async function adoptDirectory(options: AdoptionOptions): Promise<Adoption> {
  const adoption = await Adoption.open(options);
  await adoption.settleAll();
  return adoption;
}
