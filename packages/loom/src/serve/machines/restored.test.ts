import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { noDatabase, testSchema } from '@loom/stores/postgres/testing';
import type { TestSchema } from '@loom/stores/postgres/testing';
import { runLoom } from '../../testing/loom-process.ts';
import { startServe } from '../testing/serve-process.ts';
import { clientOf, valueOf } from '../testing/served.ts';

const skip = noDatabase;
const kept = ['client_ids', 'logs', 'records', 'heads'];

/** Keeps the tables as they are now; the returned function puts them back, as a restored backup does. */
async function backUp({ name, query }: TestSchema): Promise<() => Promise<void>> {
  for (const table of kept) await query(`CREATE TABLE ${name}.kept_${table} AS TABLE loom.${table}`);
  return async () => {
    for (const table of kept.toReversed()) await query(`DELETE FROM loom.${table}`);
    for (const table of kept) await query(`INSERT INTO loom.${table} TABLE ${name}.kept_${table}`);
  };
}

async function say(
  client: LoomClient,
  parent: string,
  words: readonly string[],
): Promise<{ ids: string[]; epoch: string }> {
  const ids: string[] = [];
  let epoch = '';
  for (const content of words) {
    const outcome = await client.call('node.append', { parent, messages: [{ role: 'user', content }] });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    ids.push(...outcome.value.nodes);
    epoch = outcome.cursor?.epoch ?? '';
  }
  return { ids, epoch };
}

test(
  '[PG35] a database that was put back gives out no id again, and who knew more reads everything anew',
  { skip },
  async (t) => {
    const schema = await testSchema(t);
    const home = temporaryDirectory(t);
    const doctor = (...args: string[]) =>
      runLoom(['doctor', ...args, '--json', '--data-dir', home], { home, env: { LOOM_STORE: schema.url } });
    const before = await startServe(t, home, '--port', '0', '--store', schema.url);
    const client = clientOf(before.url, before.token);
    const { root } = valueOf(await client.call('root.create', {}));
    await say(client, root, ['one', 'two']);
    const putBack = await backUp(schema);
    const lost = await say(client, root, ['lost one', 'lost two', 'lost three']);
    const refused = await doctor('--restored');
    assert.equal(refused.code, 1);
    assert.match(`${refused.stdout}${refused.stderr}`, /1 other process uses this database/u);
    await before.end('SIGTERM');
    await putBack();
    const renewed = await doctor('--restored');
    assert.equal(renewed.code, 0, renewed.stderr);
    const after = await startServe(t, home, '--port', '0', '--store', schema.url);
    const again = await say(clientOf(after.url, after.token), root, ['later one', 'later two', 'later three']);
    assert.equal(lost.ids.length, 3);
    assert.deepEqual(new Set(lost.ids).intersection(new Set(again.ids)), new Set());
    assert.notEqual(again.epoch, lost.epoch);
    await after.end('SIGTERM');
  },
);

test(
  '[PG36] the doctor reads every conversation in PostgreSQL, and names one that has lost a change',
  { skip },
  async (t) => {
    const schema = await testSchema(t);
    const home = temporaryDirectory(t);
    const doctor = () => runLoom(['doctor', '--json', '--data-dir', home], { home, env: { LOOM_STORE: schema.url } });
    const server = await startServe(t, home, '--port', '0', '--store', schema.url);
    const client = clientOf(server.url, server.token);
    const roots = [];
    for (let count = 0; count < 2; count += 1) roots.push(valueOf(await client.call('root.create', {})).root);
    for (const root of roots) await say(client, root, ['one', 'two']);
    await server.end('SIGTERM');
    const fine = await doctor();
    assert.equal(fine.code, 0, fine.stderr);
    assert.deepEqual(JSON.parse(fine.stdout), { ok: true, roots: 2, findings: [] });
    await schema.query(`DELETE FROM loom.records WHERE convert_from(log, 'UTF8') = $1 AND seq = 2`, [roots[0]]);
    const damaged = await doctor();
    assert.equal(damaged.code, 1);
    assert.match(damaged.stdout, new RegExp(roots[0] ?? '', 'u'));
  },
);
