import { AcknowledgedLosses, forestCodec, forestLogName } from '@loom/kernel/logs';
import { isAboutOneLog } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { acknowledgeLosses as acknowledgeInFiles, keptLosses as keptInFiles } from '@loom/stores/files';
import type { LostLog } from '@loom/stores/files';
import { acknowledgeLosses, keptLosses } from '@loom/stores/sqlite';
import type { TellFolderNews } from '../folder-news.ts';
import type { StoreKind } from '../store-kind.ts';

interface LostLogs {
  lost: ReadonlyMap<string, LostLog>;
  take: (lost: LostLog) => void;
  /**
   * Gives access to the logs, which know the losses that a user has acknowledged: those are no longer reported. Resolves once all losses taken so far
   * are looked up and reported.
   */
  settle: (store: Store) => Promise<void>;
  /** Marks the losses as known to the user: this process and later ones no longer report them. Returns their number. */
  acknowledge: (dataDir: string, kind: StoreKind) => Promise<number>;
}

/** Returns the losses of a folder that earlier processes have found, and that no user has acknowledged. */
export function keptLossesOf(dataDir: string, kind: StoreKind): Promise<LostLog[]> {
  return kind === 'files' ? keptInFiles(dataDir) : keptLosses(dataDir);
}

/** Remembers lost logs, and reports each once, unless the list of conversations says that the user knows. */
export function collectLost(news?: TellFolderNews): LostLogs {
  const lost = new Map<string, LostLog>();
  const opened = Promise.withResolvers<Store>();
  let known: Promise<AcknowledgedLosses> | undefined;
  const telling = new Set<Promise<void>>();
  const tell = async (told: LostLog): Promise<void> => {
    known ??= opened.promise.then(readAcknowledgedLosses);
    if ((await known).has(told.log, told)) lost.delete(told.log);
    else news?.({ type: 'lost-log', lost: told });
  };
  return {
    lost,
    take(told) {
      if (lost.has(told.log)) return;
      lost.set(told.log, told);
      const looking = tell(told).finally(() => telling.delete(looking));
      telling.add(looking);
    },
    async settle(store) {
      opened.resolve(store);
      await Promise.all(telling);
    },
    async acknowledge(dataDir, kind) {
      if (kind === 'files') await acknowledgeInFiles(dataDir);
      else acknowledgeLosses(dataDir);
      const { size } = lost;
      lost.clear();
      return size;
    },
  };
}

/** Returns the losses that the user knows of, from the list of conversations. If the list cannot be read, all losses are reported. */
async function readAcknowledgedLosses(store: Store): Promise<AcknowledgedLosses> {
  const known = new AcknowledgedLosses();
  const contents = await store.read(forestLogName, 0).catch((error: unknown) => {
    if (!isAboutOneLog(error)) throw error;
    return undefined;
  });
  for (const { text } of contents?.records ?? []) {
    for (const { ops } of forestCodec.decode(text)) {
      for (const op of ops) if (op.type === 'loss-acknowledged') known.add(op.log, op);
    }
  }
  return known;
}
