import { rootCodec } from '@loom/kernel/logs';
import type { Change, RootOp } from '@loom/kernel/logs';
import type { LogRecord } from '@loom/kernel/store';

/** All changes of a log as the records of a log that is written anew. */
export function inSegments(changes: readonly Change<RootOp>[]): LogRecord[] {
  const records: LogRecord[] = [];
  let group: Change<RootOp>[] = [];
  let size = 0;
  for (const change of changes) {
    group.push(change);
    size += rootCodec.encode(change).length;
    if (group.length < changesTogether && size < sizeTogether && change !== changes.at(-1)) continue;
    records.push({ seq: change.seq, text: rootCodec.encodeSegment(group) });
    [group, size] = [[], 0];
  }
  return records;
}

/** A record is read, and kept in memory, as a whole. In changes, and in UTF-16 units. */
const changesTogether = 200;
const sizeTogether = 1024 * 1024;
