import { StoreError } from '@loom/kernel/store';
import { readPostgresUrl } from './address.ts';
import { Database } from './database.ts';
import { signalsName } from './signals/signals.ts';

/** A schema that holds a store. */
export interface Tenant {
  name: string;
  /** The number of its conversations. */
  conversations: number;
  /** The room that its tables take, with their indexes, in bytes. */
  bytes: number;
  /** The number of processes that are connected to it now. */
  processes: number;
}

/** Lists the stores in a database, by name: the schemas that have Loom's tables and that the user of the database may look into. */
export function listTenants(url: string): Promise<Tenant[]> {
  return withDatabase(url, async (database) => {
    const schemas = await database.rows<{ name: string; bytes: number; processes: number }>(
      `SELECT n.nspname::text AS name, sum(pg_total_relation_size(c.oid))::double precision AS bytes,
         (SELECT count(*)::integer FROM pg_stat_activity WHERE application_name = $1 || n.nspname) AS processes
       FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
       WHERE has_schema_privilege(n.oid, 'USAGE') GROUP BY n.nspname
       HAVING array_agg(c.relname::text) @> ARRAY['client_ids', 'format', 'heads', 'logs', 'records'] ORDER BY n.nspname`,
      [signalsName('')],
    );
    const tenants: Tenant[] = [];
    for (const { name, ...rest } of schemas) {
      const [row] = await database.rows<{ count: number }>(
        `SELECT count(*)::integer AS count FROM ${quoted(name)}.logs WHERE log >= 'root-' AND log < 'root.'`,
      );
      tenants.push({ name, conversations: row?.count ?? 0, ...rest });
    }
    return tenants;
  });
}

/** Deletes a store with everything in it. It is refused while processes are connected to it. */
export async function dropTenant(url: string, name: string): Promise<void> {
  const tenant = (await listTenants(url)).find((known) => known.name === name);
  if (tenant === undefined) throw unknownTenant(name);
  if (tenant.processes > 0) {
    throw new StoreError(
      'store-locked',
      `${tenant.processes === 1 ? 'a process uses' : `${tenant.processes} processes use`} the tenant ${name}`,
      'End them first, then do it again.',
    );
  }
  await withDatabase(url, (database) => database.run(`DROP SCHEMA ${quoted(name)} CASCADE`));
}

/** Returns the URL of a store in the same database. Refuses what cannot be the name of a schema. */
export function urlOfTenant(url: string, name: string): string {
  const named = new URL(url);
  named.searchParams.set('schema', name);
  readPostgresUrl(named.href);
  if (name === 'public' || name === 'information_schema' || name.startsWith('pg_')) {
    throw new StoreError('store-failed', `${name} is a schema of PostgreSQL itself`, 'Choose another name.');
  }
  return named.href;
}

export function unknownTenant(name: string): StoreError {
  return new StoreError(
    'store-failed',
    `there is no tenant ${JSON.stringify(name)} in this database`,
    'List the tenants of the database to see which there are.',
  );
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database({ address: readPostgresUrl(url), connections: 1, statementMilliseconds: 60_000 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
