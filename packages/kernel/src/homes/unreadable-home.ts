import type { Change } from '../change.ts';
import { readEach } from '../log/unreadable-changes.ts';
import type { UnreadableChange } from '../log/unreadable-changes.ts';
import type { HomeOp } from '../op.ts';
import type { LogRecord } from '../store.ts';
import { homeCodec } from './home-codec.ts';

/** Makes the log of a home readable that holds changes which cannot be read: each is replaced by one that changes nothing. */
export function setUnreadableHomeAside(records: readonly LogRecord[]): {
  changes: Change<HomeOp>[];
  aside: UnreadableChange[];
} {
  const { found, unread } = readEach(homeCodec, records);
  const aside: UnreadableChange[] = [];
  const changes: Change<HomeOp>[] = [];
  const last = records.at(-1)?.seq ?? 0;
  for (let seq = 1; seq <= last; seq += 1) {
    const change = found.get(seq);
    if (change === undefined) aside.push(unread(seq));
    changes.push(change ?? standIn(seq, changes.at(-1)?.time ?? 0));
  }
  return { changes, aside };
}

/** Returns a change that removes a key which never existed. */
function standIn(seq: number, time: number): Change<HomeOp> {
  const request = `set-aside-${seq}`;
  return { seq, time, agent: 'loom:doctor', request, ops: [{ type: 'home-set', key: request }] };
}
