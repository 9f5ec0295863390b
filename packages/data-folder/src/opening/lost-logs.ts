import type { LostLog } from '@loom/stores/files';
import type { TellFolderNews } from '../folder-news.ts';

/** Remembers what logs are lost, and tells of each once. */
export function collectLost(news?: TellFolderNews): {
  lost: ReadonlyMap<string, LostLog>;
  take: (lost: LostLog) => void;
} {
  const lost = new Map<string, LostLog>();
  return {
    lost,
    take(told) {
      if (lost.has(told.log)) return;
      lost.set(told.log, told);
      news?.({ type: 'lost-log', lost: told });
    },
  };
}
