import { forestLogName, passOn } from '@loom/kernel';
import type { Store } from '@loom/kernel';
import { Adoption } from './adoption.ts';
import type { AdoptionOptions } from './adoption.ts';
import { copyList } from './forest-list.ts';
import { hasUnknownRoots } from './root-list.ts';

/**
 * A store that also holds what lies in node files and has no log yet: a root is adopted before anything is read of it or written
 * to it. Only the list of roots is made at once, so that a large directory opens quickly.
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
      readProjection: (log, name, prefix) => settled(log, () => store.readProjection(log, name, prefix)),
      writeProjection: (log, name, request) =>
        settled(log, () => {
          // What is known of a ledger may not be so any more.
          adoption.takeLedger(log);
          return store.writeProjection(log, name, request);
        }),
    },
  };
}

/**
 * A store for those who only look, at logs and at node files that have none yet: these are adopted in a store that is forgotten
 * afterwards. Without logs there are only files.
 */
export async function openAdoptingReader(
  logs: Store | undefined,
  options: AdoptionOptions,
): Promise<{ store: Store; adoption: Adoption }> {
  if (logs === undefined) return openAdoptingStore(options);
  const kept = options.store;
  const isListed = (await logs.read(forestLogName, 0, 1)) !== undefined;
  // Folders that no log is named after are conversations that came later, or that a damaged store has lost.
  const known = new Set(await logs.logs());
  const lists = !isListed || (await hasUnknownRoots(options.directory, known)) ? kept : logs;
  if (isListed && lists === kept) await copyList(logs, kept);
  // A writer that was killed at its very beginning has left logs without a list, which are listed by their files.
  const isAdopting = { ...options, store: { ...passOn(kept), logs: () => Promise.resolve([...known]) } };
  const adoption = lists === logs ? new Adoption(options) : await Adoption.open(isListed ? isAdopting : options);
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
      readPartOfAll: async (name, key) =>
        new Map([...(await kept.readPartOfAll(name, key)), ...(await logs.readPartOfAll(name, key))]),
      async close() {
        await kept.close();
        await logs.close();
      },
    },
  };
}

/** Adopts everything in a directory at once. */
export async function adoptDirectory(options: AdoptionOptions): Promise<Adoption> {
  const adoption = await Adoption.open(options);
  await adoption.settleAll();
  return adoption;
}
