import { findStore } from '@loom/data-folder';
import { FolderError } from '@loom/data-folder/files';
import { listIds } from './conversations.ts';
import type { Loom } from './loom.ts';
import { withReader, withWriter, type LoomOptions, type OpenedFolder } from './opened-folder.ts';
import { withLoom } from './sharing/shared-folder.ts';

/**
 * Runs `work` with a data folder that holds conversations, whichever process has it. A folder without any, as behind a mistyped --data-dir,
 * is refused, and nothing is made.
 */
export async function withPresentData<Result>(
  options: LoomOptions,
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  await requireData(options.dataDir);
  return withLoom(options, work);
}

/** The same with the folder for itself. */
export async function withPresentFolder<Result>(
  options: LoomOptions,
  work: (opened: OpenedFolder) => Promise<Result>,
): Promise<Result> {
  await requireData(options.dataDir);
  return withWriter(options, work);
}

/** Refuses a folder without conversations. */
export async function requireData(dataDir: string): Promise<void> {
  if (await holdsData(dataDir)) return;
  throw new FolderError({ code: 'no-data', folder: dataDir });
}

async function holdsData(dataDir: string): Promise<boolean> {
  if ((await findStore(dataDir)) !== undefined) return true;
  // Node files of an older Loom are conversations too.
  return withReader({ dataDir, files: false }, async (loom) => (await listIds(loom)).length > 0);
}
