import type { AppendRequest, LogRecord, LogRewrite, NewRecord } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';

/** The action a request calls for, given the real end of the log. `afterSeq` is the last seq of it that the writer has seen. */
export type AppendVerdict = { type: 'begin' } | { type: 'append' } | { type: 'conflict'; afterSeq: number };

/** The end of a log; `undefined` stands for a log that does not exist. */
export type LogEnd = { epoch: string; lastSeq: number } | undefined;

/** Decides on a request that `checkAppend` let through. Every store decides by this one function. */
export function judgeAppend(log: string, end: LogEnd, { epoch, expectedSeq }: AppendRequest): AppendVerdict {
  if (end === undefined) {
    if (epoch === undefined) return { type: 'begin' };
    throw lostRecords(log, `it is gone, but a writer has read it up to ${expectedSeq}`);
  }
  if (epoch !== end.epoch) return { type: 'conflict', afterSeq: 0 };
  if (expectedSeq < end.lastSeq) return { type: 'conflict', afterSeq: expectedSeq };
  if (expectedSeq === end.lastSeq) return { type: 'append' };
  // A conflict with an empty tail would make the writer try again forever.
  throw lostRecords(log, `it ends at ${end.lastSeq}, but a writer has read it up to ${expectedSeq}`);
}

/** Throws if no store could ever accept the request: a mistake of the caller, which reading again does not mend. */
export function checkAppend(log: string, { epoch, expectedSeq, records, head }: AppendRequest): void {
  checkLogName(log);
  checkSeq('expectedSeq', expectedSeq);
  if (epoch === undefined && expectedSeq !== 0) {
    throw new RangeError(`a log that is begun has expectedSeq 0, not ${expectedSeq}; name its epoch if it exists`);
  }
  if (records.length === 0) throw new RangeError('an append needs at least one record');
  let due = expectedSeq + 1;
  for (const [index, { first, seq, text }] of records.entries()) {
    const begin = first ?? seq;
    if (begin !== due)
      throw new RangeError(`record ${index} of the append begins at ${begin}; without a gap it is ${due}`);
    if (!Number.isInteger(seq) || seq < begin) throw new RangeError(`a record from ${begin} to ${seq} holds no change`);
    due = seq + 1;
    if (!text.isWellFormed()) {
      throw new TypeError(`the text of record ${seq} has a lone surrogate, which no store can keep; clean it first`);
    }
  }
  checkSeq('the last seq', lastSeqOf(records, expectedSeq));
  if (typeof head !== 'object') return;
  if (!Number.isFinite(head.time)) throw new RangeError(`the time of a head is a number, not ${head.time}`);
  if (!head.text.isWellFormed())
    throw new TypeError('the text of a head has a lone surrogate, which no store can keep');
}

/** Throws if no store could ever put these records in the place of others. */
export function checkRewrite({ log, lastSeq, records }: LogRewrite): void {
  checkLogName(log);
  let last = 0;
  for (const { seq, text } of records) {
    if (!Number.isInteger(seq) || seq <= last) throw new RangeError(`record ${seq} of ${log} comes after ${last}`);
    last = seq;
    if (!text.isWellFormed())
      throw new TypeError(`the text of record ${seq} has a lone surrogate, which no store can keep`);
  }
  if (last !== lastSeq) throw new RangeError(`the records of ${log} end at ${last} and not at ${lastSeq}`);
}

/** Returns the end of a log once the records are appended. */
export function lastSeqOf(records: readonly NewRecord[], expectedSeq: number): number {
  return records.at(-1)?.seq ?? expectedSeq;
}

/** Throws if no store could ever keep such a record. */
export function checkFold(log: string, first: number, { seq, text }: LogRecord): void {
  checkLogName(log);
  checkSeq('first', first);
  checkSeq('the last seq', seq);
  if (first < 1 || first > seq) throw new RangeError(`a record from ${first} to ${seq} holds no change`);
  if (!text.isWellFormed())
    throw new TypeError(`the text of record ${seq} has a lone surrogate, which no store can keep`);
}

export function checkLogName(log: string): void {
  if (log === '') throw new TypeError('a log needs a name');
  if (!log.isWellFormed()) throw new TypeError('the name of the log has a lone surrogate, which no store can keep');
}

export function checkSeq(what: string, seq: number): void {
  if (!Number.isInteger(seq) || seq < 0 || seq > highestSeq) {
    throw new RangeError(`${what} must be a whole number from 0 to ${highestSeq}, not ${seq}`);
  }
}

/** 32 bits, which leaves room for the log's own number beside it in one database key. */
export const highestSeq = 0xffff_ffff;

/** Throws if a lease could not be dated. */
export function checkLeaseTime(milliseconds: number): void {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(`a lease lasts a number of milliseconds, 0 or more, not ${milliseconds}`);
  }
}

function lostRecords(log: string, how: string): StoreError {
  return new StoreError(
    'store-corrupt',
    `log ${JSON.stringify(log)} has lost records: ${how}`,
    'Something other than Loom has replaced or cut the stored data. Restore it from a backup, then start Loom again.',
  );
}
