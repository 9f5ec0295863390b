import { StoreError } from '@loom/kernel/store';

/** The place of a store in PostgreSQL, as its URL says it. */
export interface PostgresAddress {
  /** The URL for the driver, without Loom's own parameters. It may hold a password: never print it. */
  url: string;
  /** The URL of a connection that no pooler stands in front of, for listening; may hold a password, too. */
  listenUrl: string;
  /** The schema that holds all tables. */
  schema: string;
  /** True behind a pooler that gives each transaction another connection: nothing is kept in a session. */
  isPooled: boolean;
  /** The address for people: without user and password. */
  shown: string;
}

/** Returns true if a text names a store in PostgreSQL. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(text);
}

/**
 * Reads a URL such as `postgres://user:password@host:5432/database?schema=loom`. Loom's own parameters are `schema`, `pooled=1` and
 * `listen`, the URL of a connection past the pooler.
 */
export function readPostgresUrl(text: string): PostgresAddress {
  const url = URL.canParse(text) && isPostgresUrl(text) ? new URL(text) : undefined;
  // The text may hold a password, so the message does not repeat it.
  if (url === undefined) throw badAddress('the URL of the database cannot be read');
  const schema = takeParameter(url, 'schema') ?? 'loom';
  const pooled = takeParameter(url, 'pooled') ?? '0';
  const listenUrl = takeParameter(url, 'listen');
  if (!/^[a-z_][a-z0-9_]{0,47}$/u.test(schema)) {
    throw badAddress(`${JSON.stringify(schema)} cannot be the name of a schema: use up to 48 of a-z, 0-9 and _`);
  }
  if (pooled !== '0' && pooled !== '1') throw badAddress(`pooled is 0 or 1, not ${JSON.stringify(pooled)}`);
  if (listenUrl !== undefined && !(URL.canParse(listenUrl) && isPostgresUrl(listenUrl))) {
    throw badAddress('the URL in the parameter listen cannot be read');
  }
  const shown = `postgres://${url.host}${url.pathname}${schema === 'loom' ? '' : `?schema=${schema}`}`;
  return { url: url.href, listenUrl: listenUrl ?? url.href, schema, isPooled: pooled === '1', shown };
}

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

function badAddress(message: string): StoreError {
  return new StoreError(
    'store-failed',
    message,
    'Write it as postgres://user@host:5432/database?schema=loom, with @, : and / in a password as %40, %3A and %2F.',
  );
}
