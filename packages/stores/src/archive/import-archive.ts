import { forestLogName, isHomeLog } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { highestClientId } from '../client-numbers.ts';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveCounts, ArchiveHeader } from './archive-line.ts';
import { raiseClientIds } from './client-ids.ts';
import { readOrigin } from './listed-roots.ts';
import { readArchive } from './read-archive.ts';
import type { ArchiveItem } from './read-archive.ts';
import { TargetLog } from './target-log.ts';

export interface ImportOptions {
  store: Store;
  /** An archive, line by line, without line breaks. */
  lines: AsyncIterable<string>;
  /** Called for every log that is done, and now and then between. */
  progress?: (counts: Pick<ArchiveCounts, 'logs' | 'changes'>) => void;
}

/** The contents of an archive, and how much of them was new. */
export interface ImportReport extends ArchiveCounts {
  kind: 'whole' | 'increment';
  /** The roots of which it holds changes. */
  roots: string[];
  /** The number of changes that were not there before. */
  appended: number;
  /** Blobs that are cited and were not there when the archive was made. */
  missingBlobs: string[];
  /** Roots that are listed and had no log then. */
  missingLogs: string[];
}

/** Reads an archive to its end and returns its contents; throws an `ArchiveError` if it is not as it was written. */
export async function verifyArchive({ lines, progress }: Omit<ImportOptions, 'store'>): Promise<ImportReport> {
  const report = new ReportWriter(progress);
  for await (const item of readArchive(lines)) report.note(item);
  return report.report;
}

/**
 * Takes an archive into a store that is empty, or that has all or a part of it. Doing it again changes nothing, and after an
 * interruption it goes on. The list of roots is written last: a root is listed once all of it is there.
 */
export async function importArchive({ store, lines, progress }: ImportOptions): Promise<ImportReport> {
  const report = new ReportWriter(progress);
  let target: TargetLog | undefined;
  let highestClient = 1;
  for await (const item of readArchive(lines)) {
    report.note(item);
    switch (item.type) {
      case 'log': {
        const { name, after, hash } = item.log;
        // From when a root is listed its texts can be edited, so its clients' numbers must be taken by then.
        if (name === forestLogName) await raiseClientIds(store, highestClient);
        target = await TargetLog.open(store, name);
        if (after > 0) await target.expect({ seq: after, hash });
        break;
      }
      case 'record':
        for (const { ops } of item.changes) highestClient = Math.max(highestClient, highestClientId(ops));
        await target?.take(item.text, item.changes);
        break;
      case 'log-end':
        await target?.finish(item.end);
        report.report.appended += target?.appended ?? 0;
        break;
      case 'blob':
        await store.putBlob(item.bytes);
        break;
      case 'header':
        await refuseOtherStore(store, item.header);
        break;
      case 'blob-missing':
      case 'log-missing':
      case 'end':
        break;
    }
  }
  return report.report;
}

/** Refuses an archive of another store before anything else, so that a store with other conversations does not get logs that no list will name. */
async function refuseOtherStore(store: Store, { origin }: ArchiveHeader): Promise<void> {
  const present = await readOrigin(store);
  if (present === undefined || origin === undefined || present === origin) return;
  throw new ArchiveError(
    'archive-diverged',
    'the conversations here are not those that the archive was made from',
    'Import into an empty data directory instead. Two stores cannot be joined in this way.',
  );
}

class ReportWriter {
  readonly report: ImportReport = {
    kind: 'whole',
    logs: 0,
    records: 0,
    changes: 0,
    blobs: 0,
    blob_bytes: 0,
    roots: [],
    appended: 0,
    missingBlobs: [],
    missingLogs: [],
  };
  readonly #progress: ImportOptions['progress'];

  constructor(progress: ImportOptions['progress']) {
    this.#progress = progress;
  }

  note(item: ArchiveItem): void {
    const { report } = this;
    if (item.type === 'header') report.kind = item.header.kind;
    if (item.type === 'blob-missing') report.missingBlobs.push(item.id);
    if (item.type === 'log-missing') report.missingLogs.push(item.name);
    if (item.type === 'log' && item.log.name !== forestLogName && !isHomeLog(item.log.name))
      report.roots.push(item.log.name);
    if (item.type === 'log-end') report.logs += 1;
    if (item.type === 'end') Object.assign(report, item.counts);
    if (item.type === 'record') {
      report.records += 1;
      report.changes += item.changes.length;
    }
    if (item.type === 'log-end' || report.records % 1000 === 0) this.#progress?.(report);
  }
}
