import { join } from 'node:path';
import type { SQLOutputValue } from 'node:sqlite';
import type { DamagedLog } from '../../log-rewrite.ts';
import { describeBytes, placeUnreadable } from '../../unreadable-records.ts';
import type { FoundRecord } from '../../unreadable-records.ts';
import { inspectDatabase } from '../database.ts';
import { databaseFailure } from '../failures.ts';
import { unpackText } from '../../packed-text.ts';
import { recordsWhere } from '../tables/schema.ts';

/**
 * Returns the database's contents of a log, damaged or not: a record that cannot be unpacked has its bytes for a text, and one that is
 * missing none. Changes nothing. `undefined` if there is no such log; throws if the pages of the database cannot be read.
 */
export function readDamagedLog(directory: string, log: string): DamagedLog | undefined {
  const { database, format } = inspectDatabase(join(directory, 'loom.db'));
  try {
    const found = database.prepare('SELECT id, epoch, last_seq FROM logs WHERE name = ?').get(log);
    const { id, epoch, last_seq: lastSeq } = found ?? {};
    if (typeof id !== 'number' || typeof epoch !== 'string' || typeof lastSeq !== 'number') return undefined;
    const within = recordsWhere('id > ?1 << 32 AND id <= ((?1 << 32) | ?2)', format);
    const rows = database.prepare(`SELECT id & 0xffffffff AS seq, text, first, packed FROM (${within}) ORDER BY id`);
    return { log, epoch, ...placeUnreadable(rows.all(id, lastSeq).map(readRow), lastSeq) };
  } catch (error) {
    throw databaseFailure(error);
  } finally {
    database.close();
  }
}

function readRow({ seq, first, text, packed }: Record<string, SQLOutputValue>): FoundRecord {
  const bytes = packed instanceof Uint8Array ? packed : new Uint8Array();
  const whole = typeof text === 'string' ? text : unpackIfWhole(bytes);
  const isPlaced = typeof seq === 'number' && (first === null || typeof first === 'number');
  return isPlaced ? { first: first ?? seq, record: { seq, text: whole } } : { unreadable: whole };
}

function unpackIfWhole(packed: Uint8Array): string {
  try {
    return unpackText(packed);
  } catch {
    return describeBytes(packed);
  }
}
