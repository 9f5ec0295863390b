import type { AppendRequest, FoldRequest, LogRecord, LogRewrite, ProjectionRequest } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import type { Connection } from '../connection.ts';
import type { FailureMessage } from './failure-message.ts';
import { describeFailure } from './failure-message.ts';
import { packText } from '../../packed-text.ts';
import type { PackedPart } from '../tables/projection-tables.ts';
import { packParts } from '../tables/projection-tables.ts';
import type { Tables } from '../tables/tables.ts';

/** A write as plain data, so that another thread can do it. */
export type WriteWork =
  | { type: 'append'; log: string; request: AppendRequest; newEpoch: string }
  | { type: 'fold'; log: string; request: FoldRequest }
  | { type: 'rewrite'; rewrites: readonly LogRewrite[] }
  | { type: 'projection'; log: string; name: string; request: ProjectionRequest }
  | { type: 'lease'; key: string; holder: string; now: number; milliseconds: number }
  | { type: 'release'; key: string; holder: string }
  | { type: 'put-once'; key: string; value: string; now: number; milliseconds: number }
  | { type: 'take-once'; key: string; now: number }
  | { type: 'client-id'; above: number }
  | { type: 'commit-mark' };

/** The result of a work: success, a client id, a mark, a value that was taken, nothing, or the conflict that an append ran into. */
export type WorkValue = boolean | number | string | undefined | { conflict: { epoch: string; tail: LogRecord[] } };

/** The outcome of one work of a transaction. */
export type WorkAnswer = WorkValue | { failure: FailureMessage };

/**
 * Does works in one transaction, and so with one wait for the disk. Each has its own answer; if the transaction fails this rejects, and
 * nothing was done. Only projections may be left out: they are not worth a failed append.
 */
export async function performWorks(connection: Connection, works: readonly WriteWork[]): Promise<WorkAnswer[]> {
  const answers = await commitSeparably(connection, works);
  const isRewritten = answers.map((answer, index) => answer === true && works[index]?.type === 'rewrite');
  if (!isRewritten.includes(true)) return answers;
  try {
    await connection.shed();
    return answers;
  } catch (error) {
    // The logs are other ones by now, but their old contents are still in a file.
    const failure = describeFailure(error);
    return answers.map((answer, index) => (isRewritten[index] === true ? { failure } : answer));
  }
}

async function commitSeparably(connection: Connection, works: readonly WriteWork[]): Promise<WorkAnswer[]> {
  const prepared = works.map(prepareWork);
  try {
    return await commitWorks(connection, prepared);
  } catch (error) {
    // Since 3.51 SQLite commits nothing on a connection that has met damage, so the damaged part cannot be stepped over.
    if (!isDamage(error) || !works.some(isDisposable)) throw error;
  }
  const answers = new Map<PreparedWork, WorkAnswer>();
  const needed = prepared.filter(({ work }) => !isDisposable(work));
  const groups = [needed, ...prepared.filter(({ work }) => isDisposable(work)).map((one) => [one])];
  for (const group of groups.filter(({ length }) => length > 0)) {
    const done = await commitWorks(connection, group).catch((error: unknown): WorkAnswer[] => {
      if (!isDamage(error) || group === needed) throw error;
      return [false];
    });
    for (const [index, answer] of done.entries()) {
      const one = group[index];
      if (one !== undefined) answers.set(one, answer);
    }
  }
  return prepared.map((one) => answers.get(one));
}

function commitWorks(connection: Connection, works: readonly PreparedWork[]): Promise<WorkAnswer[]> {
  return connection.transaction('BEGIN IMMEDIATE', (tables) => {
    const isCrowd = works.filter(({ work }) => work.type === 'append').length >= crowd;
    const answers = works.map((prepared) => answerWork(tables, prepared, isCrowd));
    tables.sortArrivals(isCrowd);
    return answers;
  });
}

/** The number of appends that touch fewer pages together among the arrivals than each among the records of its log. */
const crowd = 4;

/** A work may refuse by throwing a `StoreError` before it has written anything. */
function answerWork(tables: Tables, prepared: PreparedWork, isCrowd: boolean): WorkAnswer {
  try {
    return performWork(tables, prepared, isCrowd);
  } catch (error) {
    if (!(error instanceof StoreError) || isDisposable(prepared.work)) throw error;
    return { failure: describeFailure(error) };
  }
}

function performWork(tables: Tables, { work, packed, parts }: PreparedWork, isCrowd: boolean): WorkValue {
  switch (work.type) {
    case 'append': {
      const result = tables.append(work.log, work.request, work.newEpoch, isCrowd);
      return result.ok || { conflict: result.conflict };
    }
    case 'fold':
      return tables.fold(work.log, work.request, packed);
    case 'rewrite':
      return tables.rewrite(work.rewrites);
    case 'projection':
      return tables.writeProjection(work.log, work.name, work.request, parts);
    case 'lease':
      return tables.lease(work.key, work.holder, work.now, work.milliseconds);
    case 'release':
      tables.release(work.key, work.holder);
      return undefined;
    case 'put-once':
      tables.once.put(work.key, work.value, work.now, work.milliseconds);
      return undefined;
    case 'take-once':
      return tables.once.take(work.key, work.now);
    case 'client-id':
      return tables.nextClientId(work.above);
    case 'commit-mark':
      return tables.commitMark();
  }
}

/** A work with the parts that take time to make, which happens before others have to wait for the transaction. */
interface PreparedWork {
  work: WriteWork;
  packed: Uint8Array;
  parts: PackedPart[];
}

function prepareWork(work: WriteWork): PreparedWork {
  return {
    work,
    packed: work.type === 'fold' ? packText(work.request.record.text) : nothing,
    parts: work.type === 'projection' ? packParts(work.request.put) : [],
  };
}

const nothing = new Uint8Array();

function isDisposable({ type }: WriteWork): boolean {
  return type === 'projection';
}

function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'store-corrupt';
}
