import type { Clock } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import type { Adoption } from '@loom/node-files';
import type { FolderFiles } from '../opening/open-folder.ts';
import type { Examination } from './examination.ts';
import { brokenLogOf } from './examination.ts';
import { examineBlobs } from './examine-blobs.ts';
import { examineLogs } from './examine-logs.ts';

/** A data folder that this process alone writes to, with its forest. */
export interface ExaminedFolder extends Pick<FolderFiles, 'recheck' | 'quarantined'> {
  dataDir: string;
  store: Store;
  forest: Forest;
  adoption: Adoption;
  clock: Clock;
}

/** Reads every log, node file and blob of an open folder, and rebuilds the derived parts. */
export async function examineFolder(
  folder: ExaminedFolder,
  examination: Examination,
  progress: (done: number, all: number) => void,
): Promise<void> {
  const { store, forest, adoption } = folder;
  const { findings } = examination;
  const hasBadCounter = findings.some((finding) => finding.type === 'store' && finding.problem.what === 'counter');
  if (hasBadCounter) await makeCountersAgain(store);
  const cited = await examineLogs(folder, examination, progress);
  // Roots are examined when they are read.
  for (const problem of adoption.problems) {
    if (problem.effect === 'unreadable') findings.push({ type: 'older-data', problem });
  }
  const broken = new Set(findings.map(brokenLogOf));
  // Files of an unreadable log stay as they are: they may be all that is left of it.
  for (const root of await forest.roots()) if (!broken.has(root)) await folder.recheck(root);
  for (const file of await folder.quarantined()) findings.push({ type: 'quarantined', file });
  await examineBlobs(folder, cited, examination);
}

/** Both are rewritten at their next use. */
async function makeCountersAgain(store: Store): Promise<void> {
  const name = `doctor-${process.pid}`;
  await store.nextClientId();
  await store.lease(name, name, 1);
  await store.release(name, name);
}
