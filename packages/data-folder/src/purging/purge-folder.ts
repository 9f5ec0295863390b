import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { forgetFiles, forgetRoot } from '@loom/node-files';
import type { TellFolderNews } from '../folder-news.ts';
import { asOnlyWriter } from '../opening/writer-lock.ts';
import { maintenanceOf } from '../upkeep/store-maintenance.ts';
import type { PurgePlan } from './purge-plan.ts';

export interface PurgeOptions {
  news: TellFolderNews;
  /** Files of the folder that may repeat anything that was said, and are removed. */
  alsoRemoved: readonly string[];
}

/**
 * Makes sure that nothing of what a plan names is left in a data folder, which must not be open. Files go first: one that says more
 * than its log would be taken for an edit by hand, should this be cut short.
 */
export async function purgeFolder(
  dataDir: string,
  plan: PurgePlan,
  { news, alsoRemoved }: PurgeOptions,
): Promise<void> {
  await asOnlyWriter(dataDir, { holder: `purge-${process.pid}`, news }, async () => {
    for (const root of plan.roots) await forgetRoot(dataDir, root);
    for (const [root, nodes] of plan.nodes) await forgetFiles(dataDir, root, nodes);
    for (const name of await readdir(dataDir)) {
      // The index of the search knows the words of all texts, and is made again; so did a database that doctor has kept.
      if (/^loom\.db(?:-search|\.damaged-)/u.test(name) || alsoRemoved.includes(name))
        await rm(join(dataDir, name), { recursive: true, force: true });
    }
    await (await maintenanceOf(dataDir))?.rewrite(plan.logs);
    for (const blob of plan.blobs) await rm(join(dataDir, 'blobs', blob.replace('sha256:', '')), { force: true });
  });
}
