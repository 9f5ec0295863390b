import { sweepBlobs } from '@loom/kernel/logs';
import type { Examination } from './examination.ts';
import { stateOf } from './examination.ts';
import type { ExaminedFolder } from './examine-folder.ts';

/**
 * Reads every cited blob, and removes those that nothing has cited for a week: none while some log is unreadable, since its citations are unknown.
 */
export async function examineBlobs(
  { store, forest }: ExaminedFolder,
  cited: ReadonlySet<string>,
  examination: Examination,
): Promise<void> {
  const { findings } = examination;
  const isAllRead = findings.every((finding) => stateOf(finding) !== 'broken' && finding.type !== 'older-data');
  for (const blob of cited) {
    try {
      // All of its bytes are read for it, a piece at a time.
      if ((await store.blobSize(blob)) === undefined) findings.push({ type: 'blob', blob });
    } catch (error) {
      findings.push({ type: 'blob', blob, error });
    }
  }
  examination.blobs = cited.size;
  if (!isAllRead) return;
  const { blobs } = await sweepBlobs({ store, unlisted: await forest.roots() });
  examination.sweptBlobs = blobs;
}
