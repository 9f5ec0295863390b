// A writer that does not give up: `persistent-writer.ts <directory> <here | beside> [deaf]`. It appends pairs of records, tries again what
// fails after having read the log, and prints a line for every answer.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { z } from 'zod';
import { BlobFiles } from '../../blobs/blob-files.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { request } from '../../testing/writer.ts';
import { AcknowledgedNote } from '../upkeep/acknowledged-note.ts';
import { Committer } from '../writing/committer.ts';
import { Connection } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { openSqliteStore } from '../open.ts';
import { SqliteStore } from '../sqlite-store.ts';
import { WriterThread } from '../writing/writer-thread.ts';

export const persistentWriterProgram = import.meta.filename;

/** A line printed by a writer about one answer of the store. */
export const writerLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('acknowledged'), seq: z.int(), texts: z.tuple([z.string(), z.string()]) }),
  /** A failure that has a code. */
  z.strictObject({ type: z.literal('failed'), code: z.string(), message: z.string() }),
  /** The end: all was written, or it was tried often enough. */
  z.strictObject({ type: z.literal('ended'), complete: z.boolean() }),
]);
export type WriterLine = z.infer<typeof writerLine>;

/** A writer that meets so many failures in a row ends. */
const patience = 8;
const pairs = 8;
const log = 'a';

async function writeAll(directory: string, place: string, isDeaf: boolean): Promise<boolean> {
  const store = await persist(() => (place === 'beside' ? openBeside(directory) : openSqliteStore({ directory })));
  if (store === undefined) return false;
  let complete = true;
  for (let index = 0; index < pairs && complete; index += 1) {
    const text = `${index} ${'padding '.repeat((index % 4) * 150)}`;
    complete = (await persist(() => appendPair(store, [`${text}first`, `${text}second`], isDeaf))) !== undefined;
  }
  // Closing has nothing to lose: acknowledged writes are on the disk.
  await store.close();
  return complete;
}

/** Appends where the log ends by now, unless an attempt whose answer was a failure has done so. */
async function appendPair(store: Store, pair: [string, string], isDeaf: boolean): Promise<true> {
  const contents = await store.read(log, 0);
  const last = contents?.records.at(-1);
  const isThere = last?.text === pair[1];
  const seq = isThere ? last.seq - 2 : (last?.seq ?? 0);
  if (!isThere) {
    const appended = store.append(log, request(contents?.epoch, seq, pair));
    const result = await (isDeaf ? appended.catch(() => ({ ok: true as const })) : appended);
    if (!result.ok) throw new Error('no other process writes to this log');
  }
  say({ type: 'acknowledged', seq: seq + 1, texts: pair });
  return true;
}

async function persist<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  for (let attempt = 0; attempt < patience; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      say({ type: 'failed', code: error.code, message: error.message });
    }
  }
  return undefined;
}

/** A store that leaves every write to its thread. */
function openBeside(directory: string): Promise<Store> {
  const path = join(directory, 'loom.db');
  const connection = new Connection(() => connectDatabase(path));
  const committer = new Committer(connection, new WriterThread(path), -1);
  const note = new AcknowledgedNote(path);
  const blobs = new BlobFiles(join(directory, 'blobs'), machineFiles);
  return connection
    .open()
    .then(() => new SqliteStore({ connection, committer, note, blobs, handles: new Set(), now: Date.now }));
}

function say(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

if (import.meta.main) {
  const [directory = '', place = '', fault = ''] = process.argv.slice(2);
  say({ type: 'ended', complete: await writeAll(directory, place, fault === 'deaf') });
}
