import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import type { OpenedFolder } from '../runtime/opened-folder.ts';
import type { Examination } from './examination.ts';

/** A blob is durable before the change that cites it, so one that no change cites may just be young. */
const graceMilliseconds = 7 * 24 * 60 * 60 * 1000;

/**
 * Reads every blob that is cited, and removes those that nothing has cited for a week. Answers how many were removed: none while
 * something cannot be read, since what that cites is not known.
 */
export async function examineBlobs(
  { store, clock }: OpenedFolder,
  dataDir: string,
  cited: ReadonlySet<string>,
  examination: Examination,
): Promise<number> {
  const { findings } = examination;
  const isAllRead = findings.every(({ what, state }) => state !== 'broken' && what !== 'older-data');
  for (const blob of cited) {
    try {
      const bytes = await store.getBlob(blob);
      if (bytes === undefined) findings.push({ what: 'blob', where: blob, message: 'it is missing', state: 'broken' });
    } catch (error) {
      const message = error instanceof StoreError ? `${error.message}. ${error.advice}` : String(error);
      findings.push({ what: 'blob', where: blob, message, state: 'broken' });
    }
  }
  examination.blobs = cited.size;
  if (!isAllRead) return 0;
  const folder = join(dataDir, 'blobs');
  // What lies behind a link is not Loom's to remove.
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return 0;
  let removed = 0;
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (!/^[0-9a-f]{64}$/u.test(name) || cited.has(`sha256:${name}`)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (clock.now() - mtimeMs < graceMilliseconds) continue;
    await rm(join(folder, name), { force: true });
    removed += 1;
  }
  return removed;
}
