import { createHash } from 'node:crypto';
import { blobReferences, forestLogName, isHomeLog } from '@loom/kernel/logs';
import { isAboutOneLog, StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { isRootName } from '../disk/root-name.ts';
import { ArchiveError } from './archive-error.ts';
import { archiveFormat, blobPiece, noCounts, textPiece } from './archive-line.ts';
import type { ArchiveCounts, ArchiveLine } from './archive-line.ts';
import type { ArchiveCursor, CursorPoint } from './cursor.ts';
import { readListedRoots } from './listed-roots.ts';
import { chainHash, chainStart } from './log-chain.ts';
import type { ChainPoint } from './log-chain.ts';
import type { ReadRecord } from './log-record.ts';
import { walkLog } from './log-walk.ts';

export interface ExportOptions {
  store: Store;
  /** The end of an earlier archive: the new one leaves out everything up to there. */
  since?: ArchiveCursor | undefined;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Called now and then, with the progress. */
  progress?: (progress: ExportProgress) => void;
  /** Called for everything that should be in the archive and is not. */
  missing?: (part: MissingPart) => void;
}

/** A log or blob that belongs in an archive but is missing, because it is gone, damaged or unreadable. */
export type MissingPart = { type: 'log'; name: string; why?: StoreError } | { type: 'blob'; id: string };

export interface ExportProgress extends ArchiveCounts {
  /** The number of logs in all. */
  of: number;
}

/**
 * Exports all that a store holds, as lines without their line breaks. Others may write meanwhile: the list of roots is read first and
 * written last, so every root that an archive lists is in it.
 */
export async function* exportArchive(options: ExportOptions): AsyncGenerator<string, void, void> {
  const everything = createHash('sha256');
  const writing: Writing = { ...options, counts: noCounts(), of: 0, written: new Set() };
  for await (const line of linesOf(writing)) {
    const text = JSON.stringify(line);
    everything.update(text).update('\n');
    yield text;
  }
  const end: ArchiveLine = { type: 'end', ...writing.counts, hash: everything.digest('hex') };
  yield JSON.stringify(end);
}

interface Writing extends ExportOptions {
  counts: ArchiveCounts;
  of: number;
  /** Blobs that are in the archive already. */
  written: Set<string>;
}

async function* linesOf(writing: Writing): AsyncGenerator<ArchiveLine, void, void> {
  const { store, since, now = Date.now } = writing;
  const { roots, seq, origin } = await readListedRoots(store);
  const time = new Date(now()).toISOString();
  const kind = since === undefined ? 'whole' : 'increment';
  yield { type: 'archive', format: archiveFormat, kind, time, ...(origin === undefined ? {} : { origin }) };
  const homes = (await store.logs()).filter(isHomeLog);
  writing.of = roots.size + homes.length + Math.sign(seq);
  writing.progress?.({ ...writing.counts, of: writing.of });
  for (const log of [...roots, ...homes]) {
    const why = await findDamage(log, writing);
    if (why === undefined) yield* logLines(log, writing);
    else yield leaveOut({ type: 'log', name: log, why }, writing);
  }
  if (seq > 0) yield* logLines(forestLogName, writing, seq);
}

/**
 * Reads the part of a log that is to be written, since a line that was written cannot be taken back. Returns the reason it cannot be read,
 * if there is one.
 */
async function findDamage(log: string, { store, since }: Writing): Promise<StoreError | undefined> {
  if (!isHomeLog(log) && !isRootName(log)) {
    return new StoreError('store-corrupt', 'its id is not a valid name for a folder', 'Loom makes no such ids.');
  }
  try {
    for await (const _window of walkLog(store, log, since?.get(log)?.seq ?? 0)) continue;
    return undefined;
  } catch (error) {
    if (isAboutOneLog(error)) return error;
    throw error;
  }
}

function leaveOut(part: MissingPart, { missing }: Writing): ArchiveLine {
  missing?.(part);
  return part.type === 'log' ? { type: 'log-missing', name: part.name } : { type: 'blob-missing', id: part.id };
}

async function* logLines(log: string, writing: Writing, through?: number): AsyncGenerator<ArchiveLine, void, void> {
  const { store, since, counts, progress } = writing;
  const known = since?.get(log);
  if (known !== undefined) await checkCursor(store, log, known);
  const at = { ...(known ?? chainStart(log)) };
  let isThere = false;
  for await (const { epoch, records } of walkLog(store, log, at.seq, through)) {
    if (!isThere) yield { type: 'log', name: log, epoch, after: at.seq, hash: at.hash };
    isThere = true;
    for (const record of records) {
      yield* blobLines(record, writing);
      yield* recordLines(record, at);
      counts.records += 1;
      counts.changes += record.changes.length;
    }
    progress?.({ ...counts, of: writing.of });
  }
  if (isThere) {
    counts.logs += 1;
    progress?.({ ...counts, of: writing.of });
    yield { type: 'log-end', seq: at.seq, hash: at.hash };
  } else {
    yield leaveOut({ type: 'log', name: log }, writing);
  }
}

/** Takes the chain on to the end of the record. */
function* recordLines({ text, changes }: ReadRecord, at: ChainPoint): Generator<ArchiveLine, void, void> {
  for (const { seq, canonical } of changes) {
    at.seq = seq;
    at.hash = chainHash(at.hash, canonical);
  }
  let start = 0;
  for (; text.length - start > textPiece; start += textPiece) {
    yield { type: 'text', text: text.slice(start, start + textPiece) };
  }
  yield { type: 'record', seq: at.seq, hash: at.hash, text: text.slice(start) };
}

/** The blobs that a record is the first to cite. They stand before it, because they have to be there before it is. */
async function* blobLines(record: ReadRecord, writing: Writing): AsyncGenerator<ArchiveLine, void, void> {
  const { store, counts, written } = writing;
  const { cited } = blobReferences(
    record.changes.map(({ ops }) => ops),
    record.text,
  );
  for (const id of cited) {
    if (written.has(id)) continue;
    written.add(id);
    const bytes = await readBlob(store, id);
    if (bytes === undefined) {
      yield leaveOut({ type: 'blob', id }, writing);
      continue;
    }
    yield { type: 'blob', id, bytes: bytes.length };
    for (let at = 0; at < bytes.length; at += blobPiece) {
      yield { type: 'bytes', data: Buffer.from(bytes.subarray(at, at + blobPiece)).toString('base64') };
    }
    counts.blobs += 1;
    counts.blob_bytes += bytes.length;
  }
}

/** One blob that is damaged must not keep everything else from being exported. */
async function readBlob(store: Store, id: string): Promise<Uint8Array | undefined> {
  try {
    return await store.getBlob(id);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store-corrupt') return undefined;
    throw error;
  }
}

/** Throws unless the log still has the change that an earlier archive ended with. */
async function checkCursor(store: Store, log: string, { epoch, seq }: CursorPoint): Promise<void> {
  const contents = await store.read(log, seq - 1, seq);
  if (contents?.epoch === epoch && (contents.records.at(-1)?.seq ?? 0) >= seq) return;
  throw new ArchiveError(
    'archive-cursor-stale',
    `the log ${JSON.stringify(log)} is no longer the one that the earlier archive was made from`,
    'Something was restored or purged since, or the archive was made from another store. Export everything, without --since.',
  );
}
