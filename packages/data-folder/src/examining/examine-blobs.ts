import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Examination } from './examination.ts';
import { stateOf } from './examination.ts';
import type { ExaminedFolder } from './examine-folder.ts';

/** A blob is durable before the change that cites it, so one that no change cites may just be young. */
const graceMilliseconds = 7 * 24 * 60 * 60 * 1000;

/**
 * Reads every blob that is cited, and removes those that nothing has cited for a week: none while
 * something cannot be read, since what that cites is not known.
 */
export async function examineBlobs(
  { dataDir, store, clock }: ExaminedFolder,
  cited: ReadonlySet<string>,
  examination: Examination,
): Promise<void> {
  const { findings } = examination;
  const isAllRead = findings.every((finding) => stateOf(finding) !== 'broken' && finding.type !== 'older-data');
  for (const blob of cited) {
    try {
      const bytes = await store.getBlob(blob);
      if (bytes === undefined) findings.push({ type: 'blob', blob });
    } catch (error) {
      findings.push({ type: 'blob', blob, error });
    }
  }
  examination.blobs = cited.size;
  if (!isAllRead) return;
  const folder = join(dataDir, 'blobs');
  // What lies behind a link is not Loom's to remove.
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return;
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (!/^[0-9a-f]{64}$/u.test(name) || cited.has(`sha256:${name}`)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (clock.now() - mtimeMs < graceMilliseconds) continue;
    await rm(join(folder, name), { force: true });
    examination.sweptBlobs += 1;
  }
}
