import type { TestContext } from 'node:test';
import { Pool } from 'pg';
import { openPostgresStore } from '../open.ts';
import type { PostgresStoreOptions } from '../open.ts';
import type { PostgresStore } from '../postgres-store.ts';
import { findPostgres, startServer } from './server.ts';

/** The variable by which `npm test` tells its processes the server that it has started for all of them. */
export const sharedServerVariable = 'LOOM_TEST_DATABASE';

/** The reason why tests with PostgreSQL are skipped; false if they can run. */
export const noDatabase: string | false =
  givenUrl() === undefined && findPostgres() === undefined
    ? 'there is no PostgreSQL: install it with your package manager (Debian: apt-get install postgresql), or set DATABASE_URL'
    : false;

/** A schema of its own for one test, dropped at its end, and a way to open stores in it, which are closed before. */
export interface TestSchema {
  /** The name of the schema. */
  name: string;
  /** The URL with the schema. */
  url: string;
  /** The URL of its server. */
  server: string;
  open: (options?: Omit<PostgresStoreOptions, 'url'>) => Promise<PostgresStore>;
  /** Stops the clock of the schema; from then on only `passTime` moves it. */
  freeze: () => Promise<void>;
  passTime: (milliseconds: number) => Promise<void>;
  /** Runs a statement, in which `loom.` stands for the schema. */
  query: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}

/** Makes an empty schema for a test, on the server of the test run or on another one. */
export async function testSchema(t: TestContext, server?: string): Promise<TestSchema> {
  const base = server ?? givenUrl() ?? (await ownServer());
  const schema = `test_${process.pid}_${(count += 1)}_${Math.random().toString(36).slice(2, 8)}`;
  const url = new URL(base);
  url.searchParams.set('schema', schema);
  const pool = poolFor(base);
  const stores: PostgresStore[] = [];
  const query: TestSchema['query'] = async (text, values) =>
    (await pool.query<Record<string, unknown>>(text.replaceAll('loom.', `${schema}.`), values)).rows;
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`).catch(() => {});
  });
  return {
    name: schema,
    url: url.href,
    server: base,
    query,
    async open(options = {}) {
      const store = await openPostgresStore({ url: url.href, ...options });
      stores.push(store);
      return store;
    },
    async freeze() {
      await query(`CREATE TABLE IF NOT EXISTS loom.test_clock AS SELECT 1000::double precision AS now;
        CREATE OR REPLACE FUNCTION loom.now_ms() RETURNS double precision LANGUAGE sql VOLATILE AS
          $$ SELECT now FROM loom.test_clock $$`);
    },
    async passTime(milliseconds) {
      await query('UPDATE loom.test_clock SET now = now + $1', [milliseconds]);
    },
  };
}

/** Connections without a store, to set one beside it in measurements. */
export function bareConnections(url: string): Pick<Pool, 'query' | 'end'> {
  return new Pool({ connectionString: url, max: 2 });
}

let count = 0;
const pools = new Map<string, Pool>();

function poolFor(url: string): Pool {
  const pool = pools.get(url) ?? new Pool({ connectionString: url, max: 2, allowExitOnIdle: true });
  pool.on('error', () => {});
  pools.set(url, pool);
  return pool;
}

function givenUrl(): string | undefined {
  return process.env['DATABASE_URL'] ?? process.env[sharedServerVariable];
}

let starting: Promise<string> | undefined;

/** For a test file that is run on its own. */
function ownServer(): Promise<string> {
  starting ??= startServer().then(({ url }) => url);
  return starting;
}
