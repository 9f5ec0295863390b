import { StoreError } from '@loom/kernel/store';
import type { Database } from '../database.ts';
import { functions } from './functions.ts';
import { searchTables } from './search-tables.ts';
import { tables } from './tables.ts';

/** The statements that bring a schema to each format from the one before: the first makes an empty schema one of format 1. */
const steps: readonly string[] = [`${tables}${functions}`, searchTables];

/** The latest format of the tables that this version knows. */
const newestTables = steps.length;

/**
 * Makes the tables, or brings them up to date. Of processes that start together one does it. The lock belongs to the transaction, which a
 * pooler keeps on one connection.
 */
export async function migrate(database: Database, schema: string, shown: string): Promise<void> {
  if ((await formatNow(database, shown)) === newestTables) return;
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`loom schema ${schema}`]);
    await query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    const present = await query('SELECT to_regclass($1) IS NOT NULL AS is_there', [`${schema}.format`]);
    const [row] = present[0]?.['is_there'] === true ? await query('SELECT number FROM loom.format') : [];
    const number = Number(row?.['number'] ?? 0);
    checkFormat(number, shown);
    for (const step of steps.slice(number)) await query(step);
    await query('DELETE FROM loom.format');
    await query('INSERT INTO loom.format VALUES ($1)', [newestTables]);
  });
}

/** `undefined` if there are no tables yet. */
async function formatNow(database: Database, shown: string): Promise<number | undefined> {
  const [server] = await database.rows<{ encoding: string; version: string; is_there: boolean }>(
    `SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num') AS version,
       to_regclass('loom.format') IS NOT NULL AS is_there`,
  );
  if (server !== undefined && Number(server.version) < oldestServer) {
    throw new StoreError(
      'store-failed',
      `${shown} is PostgreSQL ${Math.floor(Number(server.version) / 10_000)}, and Loom needs ${oldestServer / 10_000} or newer`,
      'Upgrade the server, or name another one.',
    );
  }
  if (server?.is_there !== true) return undefined;
  const [row] = await database.rows<{ number: number }>('SELECT number FROM loom.format');
  if (row !== undefined) checkFormat(row.number, shown);
  return row?.number;
}

function checkFormat(number: number, shown: string): void {
  if (number <= newestTables) return;
  throw new StoreError(
    'store-newer',
    `the tables of ${shown} have format ${number}, and this Loom knows up to ${newestTables}`,
    'Use the Loom that has upgraded them, or a newer one. Nothing was changed.',
  );
}

const oldestServer = 140_000;
