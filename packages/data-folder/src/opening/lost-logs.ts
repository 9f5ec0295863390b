import { acknowledgeLosses as acknowledgeInFiles, keptLosses as keptInFiles } from '@loom/stores/files';
import type { LostLog } from '@loom/stores/files';
import { acknowledgeLosses, keptLosses } from '@loom/stores/sqlite';
import type { TellFolderNews } from '../folder-news.ts';
import type { StoreKind } from '../store-kind.ts';

interface LostLogs {
  lost: ReadonlyMap<string, LostLog>;
  take: (lost: LostLog) => void;
  /** A person knows of them: they are told no longer, by this process and by the next ones. Returns how many they were. */
  acknowledge: (dataDir: string, kind: StoreKind) => Promise<number>;
}

/** The losses of a folder that earlier processes have found, and that no person has acknowledged. */
export function keptLossesOf(dataDir: string, kind: StoreKind): Promise<LostLog[]> {
  return kind === 'files' ? keptInFiles(dataDir) : keptLosses(dataDir);
}

/** Remembers what logs are lost, and tells of each once. */
export function collectLost(news?: TellFolderNews): LostLogs {
  const lost = new Map<string, LostLog>();
  return {
    lost,
    take(told) {
      if (lost.has(told.log)) return;
      lost.set(told.log, told);
      news?.({ type: 'lost-log', lost: told });
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
