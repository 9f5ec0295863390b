import { forestCodec, forestLogName } from '@loom/kernel/logs';
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
   * From now on the logs can say which losses a person has acknowledged: those are told no longer. Resolves when all that were taken so far
   * were looked up and told.
   */
  settle: (store: Store) => Promise<void>;
  /** A person knows of them: they are told no longer, by this process and by the next ones. Returns how many they were. */
  acknowledge: (dataDir: string, kind: StoreKind) => Promise<number>;
}

/** The losses of a folder that earlier processes have found, and that no person has acknowledged. */
export function keptLossesOf(dataDir: string, kind: StoreKind): Promise<LostLog[]> {
  return kind === 'files' ? keptInFiles(dataDir) : keptLosses(dataDir);
}

/** Remembers what logs are lost, and tells of each once, unless the list of conversations says that a person knows. */
export function collectLost(news?: TellFolderNews): LostLogs {
  const lost = new Map<string, LostLog>();
  const opened = Promise.withResolvers<Store>();
  let known: Promise<ReadonlyMap<string, number>> | undefined;
  const telling = new Set<Promise<void>>();
  const tell = async (told: LostLog): Promise<void> => {
    known ??= opened.promise.then(readAcknowledgedLosses);
    if (((await known).get(told.log) ?? 0) >= told.seq) lost.delete(told.log);
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

/**
 * The losses that a person knows of, as the list of conversations has them: up to which change of which log. A list that cannot be read says
 * nothing, so that all are told.
 */
async function readAcknowledgedLosses(store: Store): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  const contents = await store.read(forestLogName, 0).catch((error: unknown) => {
    if (!isAboutOneLog(error)) throw error;
    return undefined;
  });
  for (const { text } of contents?.records ?? []) {
    for (const { ops } of forestCodec.decode(text)) {
      for (const op of ops) {
        if (op.type === 'loss-acknowledged') known.set(op.log, Math.max(op.seq, known.get(op.log) ?? 0));
      }
    }
  }
  return known;
}
