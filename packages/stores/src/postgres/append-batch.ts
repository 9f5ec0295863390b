import type { AppendRequest } from '@loom/kernel/store';
import { lastSeqOf } from '../append-verdict.ts';
import type { LogEnd } from '../append-verdict.ts';
import { boundKey } from './bounded-key.ts';
import type { Database } from './database.ts';
import { PackedTexts } from './packed-bytes.ts';

/** An append that waits for its statement. */
export interface WaitingAppend {
  log: string;
  /** Copies: the caller may change its own. */
  request: AppendRequest;
  /** The epoch of the log if it is begun. */
  fresh: string;
}

/** The outcome of an append; where it was not done, `end` is the end of the log that it met. */
export interface AppendOutcome {
  isDone: boolean;
  end: LogEnd;
}

/** Appends to several logs, each of which occurs once, in one statement. */
export async function appendBatch(
  database: Database,
  appends: readonly WaitingAppend[],
  formats: { oldest: number },
): Promise<AppendOutcome[]> {
  const texts = new PackedTexts();
  const keys = appends.map(({ log }) => boundKey(log));
  const records = appends.flatMap(({ request }, index) =>
    request.records.map(({ first, seq, text }) => {
      texts.add(text);
      return { place: index + 1, seq, first: first ?? seq };
    }),
  );
  const heads = appends.map(({ request: { head } }) => {
    if (head === 'same') return { kind: 0, time: null, start: null, size: null };
    if (head === undefined) return { kind: 1, time: null, start: null, size: null };
    return { kind: 2, time: head.time, ...texts.place(head.text) };
  });
  const rows = await database.rows<AppendRow>(appendStatement, [
    keys.map(({ key }) => key),
    keys.map(({ whole }) => whole),
    appends.map(({ request }) => request.epoch ?? null),
    appends.map(({ fresh }) => fresh),
    appends.map(({ request }) => request.expectedSeq),
    appends.map(({ request }) => lastSeqOf(request.records, request.expectedSeq)),
    appends.map(({ request }) => request.format ?? formats.oldest),
    heads.map(({ kind }) => kind),
    heads.map(({ time }) => time),
    heads.map(({ start }) => start),
    heads.map(({ size }) => size),
    records.map(({ place }) => place),
    records.map(({ seq }) => seq),
    records.map(({ first }) => first),
    texts.starts,
    texts.sizes,
    texts.bytes,
  ]);
  const outcomes = appends.map((): AppendOutcome => ({ isDone: false, end: undefined }));
  for (const { place, epoch, last_seq: lastSeq, is_done: isDone } of rows) {
    outcomes[place - 1] = { isDone, end: epoch === null || lastSeq === null ? undefined : { epoch, lastSeq } };
  }
  return outcomes;
}

type AppendRow = { place: number; epoch: string | null; last_seq: number | null; is_done: boolean };

const appendStatement = `SELECT place, epoch, last_seq, is_done FROM loom.append(${Array.from({ length: 17 }, (_, index) => `$${index + 1}`).join(', ')})`;
