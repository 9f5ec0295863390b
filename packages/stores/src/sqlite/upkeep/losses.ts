import { copyFileSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import { writeDurably } from '../../disk/durable-files.ts';
import { fileFailure } from '../../disk/file-failure.ts';
import { failedWith } from '../../disk/files-port.ts';
import type { LostLog } from '../../lost-log.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { AcknowledgedNote, readAcknowledged, sealEach } from './acknowledged-note.ts';
import type { Acknowledged } from './acknowledged-note.ts';
import { Connection } from '../connection.ts';
import { inspectDatabase } from '../database.ts';
import type { Tables } from '../tables/tables.ts';
import { checksum } from '../../disk/checksum.ts';

/** The known facts about a log that is incomplete. */
export interface Loss extends LostLog {
  end: number;
  epoch: string;
}

/**
 * Finds out what became of the database of a directory: `lost` if it is gone or empty while its companions say that there was one, `none`
 * if there never was one, as far as can be told.
 */
export function findDatabase(directory: string): 'present' | 'lost' | 'none' {
  const path = join(directory, 'loom.db');
  if (sizeOf(path) > 0) return 'present';
  return sizeOf(`${path}-wal`) + sizeOf(`${path}.acknowledged`) > 0 ? 'lost' : 'none';
}

/** Finds the logs of which a database holds less than was acknowledged. The acknowledged points must have been read before. */
export function findLosses(tables: Tables, acknowledged: Iterable<Acknowledged>): Loss[] {
  return [...acknowledged].flatMap(({ log, epoch, seq }) => {
    const found = endOf(tables, log);
    // A log of another epoch was put in its place on purpose, or its loss is recorded already.
    if (found === 'damaged' || (found !== undefined && (found.epoch !== epoch || found.lastSeq >= seq))) return [];
    return [{ log, epoch, seq, end: found?.lastSeq ?? 0 }];
  });
}

/**
 * The losses of a directory whose database is not opened: those that the next writer will find, and with `kept` those that earlier ones
 * have found. Changes nothing.
 */
export async function inspectLosses(directory: string, { kept = false } = {}): Promise<Loss[]> {
  const path = join(directory, 'loom.db');
  const acknowledged = [...new AcknowledgedNote(path).read().values()];
  const before = kept ? lossFiles(directory).flatMap((file) => readAcknowledged(join(directory, file))) : [];
  if (acknowledged.length + before.length === 0) return [];
  if (findDatabase(directory) !== 'present') {
    return [...acknowledged, ...before].map((entry) => ({ ...entry, end: 0 }));
  }
  const connection = new Connection(() => inspectDatabase(path).database);
  try {
    return await connection.transaction('BEGIN', (tables) => [
      ...findLosses(tables, acknowledged),
      ...before.flatMap((entry) => {
        const found = endOf(tables, entry.log);
        const isBack = found !== 'damaged' && found?.epoch === entry.epoch && found.lastSeq >= entry.seq;
        return isBack ? [] : [{ ...entry, end: found === 'damaged' ? 0 : (found?.lastSeq ?? 0) }];
      }),
    ]);
  } finally {
    connection.close();
  }
}

/**
 * Records losses, in a file that stays until a person removes it, before anything is written in the place of what is lost. A log of which a
 * part is left gets another epoch: a reader that has read more of it must not confuse new changes with the lost ones.
 */
export async function keepLosses(
  directory: string,
  { connection, losses, now }: { connection: Connection; losses: readonly Loss[]; now: number },
): Promise<void> {
  if (losses.length === 0) return;
  // The next commit overwrites the bytes behind the damage.
  const wal = join(directory, 'loom.db-wal');
  if (sizeOf(wal) > 0) copyFileSync(wal, join(directory, `${lossPrefix}wal-${now}`));
  const bytes = Buffer.from(sealEach(losses));
  const path = join(directory, `${lossPrefix}${checksum(bytes)}`);
  await writeDurably(machineFiles, { path, bytes }).catch((error: unknown) => {
    throw fileFailure(error, `could not record what ${directory} has lost`);
  });
  await connection.transaction('BEGIN IMMEDIATE', (tables) => {
    for (const { log, epoch, end } of losses) if (end > 0) tables.renew(log, epoch);
  });
  new AcknowledgedNote(join(directory, 'loom.db')).drop(new Set(losses.map(({ log }) => log)));
}

/** The losses that earlier writers have found, and that no person has acknowledged; nothing is opened if there are none. */
export async function keptLosses(directory: string): Promise<LostLog[]> {
  if (lossFiles(directory).length === 0) return [];
  const losses = await inspectLosses(directory, { kept: true });
  return losses.map(({ log, epoch, seq }) => ({ log, epoch, seq, isKept: true }));
}

/** Stops the recorded losses from being reported. The files stay, under other names. Returns true if there were any. */
export function acknowledgeLosses(directory: string): boolean {
  const files = lossFiles(directory);
  for (const file of files) {
    renameSync(join(directory, file), join(directory, file.replace(lossPrefix, acknowledgedPrefix)));
  }
  return files.length > 0;
}

/** Puts a write-ahead log aside whose database is gone: SQLite would delete it, and it is all that is left. */
export function keepStrayWriteAheadLog(directory: string, now: number): void {
  const path = join(directory, 'loom.db');
  if (sizeOf(path) > 0 || sizeOf(`${path}-wal`) === 0) return;
  renameSync(`${path}-wal`, join(directory, `${lossPrefix}wal-${now}`));
}

/** Returns the files that record losses. */
export function lossFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^loom\.db\.lost-[0-9a-f]{8}$/u.test(name));
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return [];
    throw error;
  }
}

const lossPrefix = 'loom.db.lost-';
const acknowledgedPrefix = 'loom.db.acknowledged-loss-';

function endOf(tables: Tables, log: string): { epoch: string; lastSeq: number } | 'damaged' | undefined {
  try {
    return tables.end(log);
  } catch (error) {
    // The reader of the log reports that.
    if (error instanceof StoreError && error.code === 'store-corrupt') return 'damaged';
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
