import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { noDatabase, testSchema } from '@loom/stores/postgres/testing';
import { z } from 'zod';
import { startServe } from '../../serve/testing/serve-process.ts';
import { clientOf, valueOf } from '../../serve/testing/served.ts';
import { runLoom } from '../../testing/loom-process.ts';

const list = z.object({ tenants: z.array(z.object({ name: z.string(), conversations: z.int(), processes: z.int() })) });

test(
  '[PG41] a tenant is created, listed, exported and, by its name and not while it is used, deleted',
  { skip: noDatabase },
  async (t) => {
    const { server, query, name: prefix } = await testSchema(t);
    const home = temporaryDirectory(t);
    const name = `${prefix}_acme`;
    t.after(() => query(`DROP SCHEMA IF EXISTS ${name} CASCADE`));
    const run = (...args: string[]) =>
      runLoom(['tenant', ...args, '--json', '--data-dir', home], { home, env: { LOOM_STORE: server } });
    const mine = async () => {
      const { stdout, stderr } = await run('list');
      assert.equal(stderr, '');
      return list.parse(JSON.parse(stdout)).tenants.find((tenant) => tenant.name === name);
    };
    assert.equal((await run('delete', name, '--yes')).code, 1);
    assert.equal(await mine(), undefined, 'a name that was mistyped makes nothing');
    assert.equal((await run('create', 'pg_acme')).code, 1);
    assert.equal((await run('create', name)).code, 0);
    assert.deepEqual(await mine(), { name, conversations: 0, processes: 0 });
    const url = new URL(server);
    url.searchParams.set('schema', name);
    const served = await startServe(t, home, '--port', '0', '--store', url.href);
    const client = clientOf(served.url, served.token);
    const { root } = valueOf(await client.call('root.create', {}));
    assert.deepEqual(await mine(), { name, conversations: 1, processes: 1 });
    assert.equal((await run('delete', name, '--yes')).code, 1, 'it is in use');
    await served.end('SIGTERM');
    const exported = await run('export', name, `${home}/acme.jsonl`);
    assert.equal(exported.code, 0, exported.stderr);
    assert.equal((await run('delete', name)).code, 0);
    assert.equal((await mine())?.conversations, 1, 'without --yes it stays');
    assert.equal((await run('delete', name, '--yes')).code, 0);
    assert.equal(await mine(), undefined);
    const env = { LOOM_STORE: url.href };
    const taken = await runLoom(['import-store', `${home}/acme.jsonl`, '--json', '--data-dir', home], { home, env });
    assert.equal(taken.code, 0, taken.stderr);
    assert.equal((await mine())?.conversations, 1, root);
  },
);
