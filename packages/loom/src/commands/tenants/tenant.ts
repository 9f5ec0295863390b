import { dropTenant, listTenants, openPostgresStore, unknownTenant, urlOfTenant } from '@loom/stores/postgres';
import type { Tenant } from '@loom/stores/postgres';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { isDatabaseUrl } from '../../command-line/store-kind.ts';
import type { DatabaseUrl } from '../../command-line/store-kind.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { count, describeBytes } from '../../terminal/progress.ts';
import { exportStore } from '../data/export-store.ts';

/** `loom tenant create <name>`: an empty store of its own in the database. */
export async function createTenant(call: Call): Promise<ExitCode> {
  const { words, isJson, terminal } = call;
  const [name = ''] = words;
  const url = urlOfTenant(databaseOf(call), name);
  const isThere = (await listTenants(url)).some((known) => known.name === name);
  const store = await openPostgresStore({ url });
  await store.close();
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, tenant: name, created: !isThere })}\n`);
  else {
    terminal.out(isThere ? `The tenant ${name} is there already.\n` : `Created the tenant ${name}.\n`);
    terminal.out(`Serve it with ?schema=${name} in LOOM_STORE; ${suggest('token create <person>')} lets people in.\n`);
  }
  return EXIT.ok;
}

/** `loom tenant list` */
export async function showTenants(call: Call): Promise<ExitCode> {
  const { isJson, terminal } = call;
  const tenants = await listTenants(databaseOf(call));
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, tenants })}\n`);
  else for (const tenant of tenants) terminal.out(`${tenant.name}  ${describe(tenant)}\n`);
  if (tenants.length === 0 && !isJson)
    terminal.note(`There are none. To make one: ${suggest('tenant create <name>')}\n`);
  return EXIT.ok;
}

/** `loom tenant export <name> <file>`: everything in it, as `loom export-store` writes it. */
export async function exportTenant(call: Call): Promise<ExitCode> {
  const [name = '', file = '-'] = call.words;
  const url = await existing(call, name);
  return exportStore({ ...call, words: [file], store: url });
}

/** `loom tenant delete <name>`: shows what would go, and with --yes deletes it. */
export async function deleteTenant(call: Call): Promise<ExitCode> {
  const { words, options, isJson, terminal } = call;
  const [name = ''] = words;
  const url = await existing(call, name);
  const tenant = (await listTenants(url)).find((known) => known.name === name);
  const isDone = options.has('yes');
  if (isDone) await dropTenant(url, name);
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, tenant: name, deleted: isDone })}\n`);
  else {
    const what = tenant === undefined ? '' : ` (${describe(tenant)})`;
    terminal.out(
      isDone
        ? `Deleted the tenant ${name}${what}. Backups of the database still have it.\n`
        : `This would delete the tenant ${name}${what} for good. To do it: ${suggest(`tenant delete ${name} --yes`)}\n`,
    );
  }
  return EXIT.ok;
}

function databaseOf({ store }: Call): DatabaseUrl {
  if (isDatabaseUrl(store)) return store;
  throw new LoomError('no-database', 'there is no database named, and tenants are in PostgreSQL', {
    advice: 'Set LOOM_STORE=postgres://…, or give --store.',
  });
}

/** Opening a store makes its tables, so a name that was mistyped is refused first. */
async function existing(call: Call, name: string): Promise<DatabaseUrl> {
  const url = urlOfTenant(databaseOf(call), name);
  if (!(await listTenants(url)).some((known) => known.name === name)) throw unknownTenant(name);
  return isDatabaseUrl(url) ? url : databaseOf(call);
}

function describe({ conversations, bytes, processes }: Tenant): string {
  const users = processes === 1 ? 'a process' : `${processes} processes`;
  const used = processes === 0 ? 'not in use' : `in use by ${users}`;
  return `${count(conversations, 'conversation')}, ${describeBytes(bytes)}, ${used}`;
}
