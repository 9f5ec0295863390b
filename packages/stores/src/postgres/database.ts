import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import type { PostgresAddress } from './address.ts';
import { databaseFailure } from './failures.ts';

/** A row as a statement gives it. */
export type Row = Record<string, unknown>;

export interface DatabaseOptions {
  address: PostgresAddress;
  /** The most connections that are open at once. */
  connections: number;
  /** The longest time for one statement, in milliseconds. */
  statementMilliseconds: number;
}

/** The connections of one handle. Statements name the schema `loom`, in whose place the real one is put. */
export class Database {
  readonly #pool: Pool;
  readonly schema: string;
  readonly #isPooled: boolean;
  readonly #prepared = new Map<string, { text: string; name?: string }>();

  constructor({ address, connections, statementMilliseconds }: DatabaseOptions) {
    const { url, schema, isPooled } = address;
    this.schema = schema;
    this.#isPooled = isPooled;
    this.#pool = new Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: connectMilliseconds,
      // The server gives up first. A connection that does not even say so is given up, too.
      query_timeout: statementMilliseconds + 5_000,
      // Poolers refuse connections that bring settings of their own.
      ...(isPooled
        ? {}
        : { statement_timeout: statementMilliseconds, idle_in_transaction_session_timeout: statementMilliseconds }),
      keepAlive: true,
      application_name: `loom ${schema}`,
      allowExitOnIdle: true,
    });
    // A connection that breaks while nobody uses it is replaced by the next call.
    this.#pool.on('error', () => {});
  }

  /** Runs one statement, which is prepared once per connection. */
  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#pool.query<R>({ ...this.#prepare(text), values: [...values] })).rows;
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /** Runs statements that cannot be prepared, in one go. */
  async run(text: string): Promise<void> {
    try {
      await this.#pool.query(this.qualify(text));
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /** Runs statements on one connection, all of which happen or none. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined;
    let failure: Error | undefined;
    try {
      client = await this.#pool.connect();
      const own = client;
      await own.query('BEGIN');
      const result = await work(
        async (text, values = []) => (await own.query<Row>(this.qualify(text), [...values])).rows,
      );
      await own.query('COMMIT');
      return result;
    } catch (error) {
      // The connection is closed, which takes the transaction back.
      failure = error instanceof Error ? error : new Error(String(error));
      throw databaseFailure(error);
    } finally {
      client?.release(failure);
    }
  }

  /** Puts the real schema into a statement. */
  qualify(text: string): string {
    return text.replaceAll(/\bloom\./gu, `${this.schema}.`);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #prepare(text: string): { text: string; name?: string } {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const qualified = this.qualify(text);
    // Behind a pooler the next transaction may have another connection, which knows no statement of this one.
    const made = this.#isPooled ? { text: qualified } : { text: qualified, name: `loom-${this.#prepared.size}` };
    this.#prepared.set(text, made);
    return made;
  }
}

/** Runs one statement of a transaction. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

const connectMilliseconds = 10_000;
