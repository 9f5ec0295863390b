import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { highestSeq } from '../append-verdict.ts';
import { ArchiveError } from './archive-error.ts';
import { sliceRecord } from './log-record.ts';
import type { ReadRecord } from './log-record.ts';

/** A run of consecutive records of a log. The first window comes even if it is empty. */
export interface LogWindow {
  epoch: string;
  records: ReadRecord[];
}

/**
 * Yields the changes of a log after `after`, in order, each once, a few megabytes at a time, although other processes may append and fold
 * meanwhile. Yields nothing if the log does not exist.
 */
export async function* walkLog(
  store: Store,
  log: string,
  after: number,
  through = highestSeq,
): AsyncGenerator<LogWindow, void, void> {
  let epoch: string | undefined;
  let last = after;
  let span = 16;
  for (;;) {
    const end = Math.min(last + span, through);
    const contents = await store.read(log, last, end);
    if (contents === undefined && epoch === undefined) return;
    if (contents === undefined || (epoch !== undefined && contents.epoch !== epoch)) throw replaced(log);
    epoch = contents.epoch;
    const records: ReadRecord[] = [];
    let size = 0;
    for (const { text } of contents.records) {
      const record = sliceRecord(log, text, last, through);
      if (record === undefined) continue;
      for (const { seq } of record.changes) {
        if (seq !== last + 1) throw gap(log, last, seq);
        last = seq;
      }
      records.push(record);
      size += text.length;
    }
    yield { epoch, records };
    // Less than was asked for: that was the end.
    if (last < end || last >= through) return;
    if (size < windowLength / 2) span = Math.min(span * 2, 65_536);
    else if (size > windowLength) span = Math.max(1, span >> 1);
  }
}

/** The approximate size of one read, in UTF-16 units. */
const windowLength = 2 * 1024 * 1024;

function replaced(log: string): ArchiveError {
  return new ArchiveError(
    'archive-log-busy',
    `the log ${JSON.stringify(log)} was replaced while it was read`,
    'Something was restored or purged at the same time. Try again.',
  );
}

function gap(log: string, last: number, next: number): StoreError {
  return new StoreError(
    'store-corrupt',
    `log ${JSON.stringify(log)} is damaged: change ${next} follows change ${last}`,
    'Restore the data directory from a backup.',
  );
}
