import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '@loom/kernel/store';
import { Listeners } from '../listeners.ts';
import { readPostgresUrl } from './address.ts';
import { Database } from './database.ts';
import { PostgresStore } from './postgres-store.ts';
import { migrate } from './schema/migrate.ts';
import { Signals, signalsName } from './signals/signals.ts';

export interface PostgresStoreOptions {
  /** The database: `postgres://user:password@host:5432/database?schema=loom`. */
  url: string;
  /** The most connections of this handle, but for the one that listens. */
  connections?: number;
  /** The longest time for one statement, in milliseconds. */
  statementMilliseconds?: number;
  /** The latest format of logs that is known; tests play an older or a newer Loom with it. */
  newestFormat?: number;
}

/** Opens a store in PostgreSQL, whose tables are made if they are not there. */
export async function openPostgresStore({
  url,
  connections = 8,
  statementMilliseconds = usualStatementMilliseconds,
  newestFormat = newestLogFormat,
}: PostgresStoreOptions): Promise<PostgresStore> {
  const address = readPostgresUrl(url);
  const database = new Database({ address, connections, statementMilliseconds });
  try {
    await migrate(database, address.schema, address.shown);
  } catch (error) {
    await database.close();
    throw error;
  }
  const listeners = new Listeners();
  const signals = new Signals({
    url: address.listenUrl,
    channel: channelOf(address.schema),
    name: signalsName(address.schema),
    sender: randomUUID(),
    woken: (log, seq) => (log === undefined ? listeners.wakeAll() : listeners.wake(log, seq)),
    heard: (channel, message) => listeners.tell(channel, message),
  });
  await signals.start();
  const formats = { oldest: oldestLogFormat, newest: newestFormat };
  return new PostgresStore({ database, listeners, signals, formats });
}

/** A store for a thread that only reads: nobody tells it what was written, so its user says so with `wake`. */
export interface StoreApart {
  store: Store;
  database: Database;
  wake: (log: string) => void;
}

/** Opens a store that neither listens nor looks for news, over tables that are there. */
export function openStoreApart({ url, connections }: { url: string; connections: number }): StoreApart {
  const address = readPostgresUrl(url);
  const database = new Database({ address, connections, statementMilliseconds: usualStatementMilliseconds });
  const listeners = new Listeners();
  const formats = { oldest: oldestLogFormat, newest: newestLogFormat };
  const store = new PostgresStore({ database, listeners, signals: undefined, formats });
  return { store, database, wake: (log) => listeners.wake(log) };
}

/** Notifications reach all of a database, so that each schema has a channel. */
export function channelOf(schema: string): string {
  return `loom_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
}

const usualStatementMilliseconds = 30_000;
/** Of a log that needs no newer one; the latest that this version can read. */
const oldestLogFormat = 2;
const newestLogFormat = 3;
