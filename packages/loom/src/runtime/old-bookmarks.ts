import type { SpelledBookmark } from '@loom/node-files';
import { readConfig } from '../config/index.ts';

/** The bookmarks in the settings, where older generations of Loom kept them. */
export async function readOldBookmarks(dataDir: string): Promise<SpelledBookmark[]> {
  const { config } = await readConfig({ dataDir, env: {} });
  return config.bookmarks.map(({ nodeId, rootId, title }) => ({
    node: nodeId,
    title: title ?? '',
    ...(rootId === undefined ? {} : { root: rootId }),
  }));
}
