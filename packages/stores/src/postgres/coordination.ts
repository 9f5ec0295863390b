import type { ListedLease } from '@loom/kernel/store';
import { boundKey, keyOf, keyRange, textOfKey } from './bounded-key.ts';
import type { Database } from './database.ts';

/** Takes or renews a lease, by the clock of the database. */
export async function takeLease(
  database: Database,
  name: string,
  holder: string,
  milliseconds: number,
): Promise<boolean> {
  const { key, whole } = boundKey(name);
  const rows = await database.rows(
    `INSERT INTO loom.leases AS l (key, whole, holder, until) VALUES ($1, $2, $3, loom.now_ms() + $4)
     ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until
       WHERE l.holder = excluded.holder OR l.until <= loom.now_ms()
     RETURNING true`,
    [key, whole, Buffer.from(holder), milliseconds],
  );
  return rows.length > 0;
}

/** Gives a lease back, if the holder has it. */
export async function releaseLease(database: Database, name: string, holder: string): Promise<void> {
  await database.rows('DELETE FROM loom.leases WHERE key = $1 AND holder = $2', [keyOf(name), Buffer.from(holder)]);
}

/** The leases whose keys begin with a prefix, sorted by key. */
export async function listLeases(database: Database, prefix: string): Promise<ListedLease[]> {
  const { from, before } = keyRange(prefix);
  const rows = await database.rows<{ key: Buffer; whole: Buffer | null; holder: Buffer; left: number }>(
    `SELECT key, whole, holder, greatest(0, until - now) AS left FROM loom.leases, loom.now_ms() AS now
     WHERE key >= $1 AND ($2::bytea IS NULL OR key < $2)`,
    [from, before],
  );
  return rows
    .map(({ key, whole, holder, left }) => ({ key: textOfKey(key, whole), holder: holder.toString(), left }))
    .filter(({ key }) => key.startsWith(prefix))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Keeps a value for the first that takes it, and removes those whose time is over. */
export async function keepOnce(database: Database, name: string, value: string, milliseconds: number): Promise<void> {
  await database.rows(
    `WITH over AS (DELETE FROM loom.once WHERE until <= loom.now_ms() AND key <> $1)
     INSERT INTO loom.once (key, value, until) VALUES ($1, $2, loom.now_ms() + $3)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until`,
    [keyOf(name), Buffer.from(value), milliseconds],
  );
}

/** Takes a value away; `undefined` if it is not there, or its time is over. */
export async function takeOnce(database: Database, name: string): Promise<string | undefined> {
  const [row] = await database.rows<{ value: Buffer; is_good: boolean }>(
    'DELETE FROM loom.once WHERE key = $1 RETURNING value, until > loom.now_ms() AS is_good',
    [keyOf(name)],
  );
  return row?.is_good === true ? row.value.toString() : undefined;
}

/** A number that no client was given before. */
export async function nextClientId(database: Database, above: number): Promise<number> {
  const [row] = await database.rows<{ last: number }>(
    'UPDATE loom.client_ids SET last = greatest(last, $1) + 1 RETURNING last::double precision AS last',
    [above],
  );
  if (row === undefined) throw new Error('the database has no row for the ids of clients');
  return row.last;
}
