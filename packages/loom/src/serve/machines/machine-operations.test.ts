import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { noDatabase, testSchema } from '@loom/stores/postgres/testing';
import { z } from 'zod';
import { operationsOfMachine } from '../../runtime/opened-store.ts';
import { startServe } from '../testing/serve-process.ts';
import { clientOf, valueOf } from '../testing/served.ts';

const listed = z.object({ items: z.array(z.object({ name: z.string() })) });
const sizes = z.object({ total: z.number(), parts: z.array(z.object({ part: z.string(), bytes: z.number() })) });

test(
  '[PG38] a server of a database offers nothing that reads files or runs programs of its machine, and measures the database',
  { skip: noDatabase },
  async (t) => {
    const schema = await testSchema(t);
    const folder = temporaryDirectory(t);
    const [shared, own] = await Promise.all([
      startServe(t, folder, '--port', '0', '--store', schema.url),
      startServe(t, temporaryDirectory(t), '--port', '0'),
    ]);
    const offered = async ({ url, token }: typeof own): Promise<Set<string>> => {
      const { items } = listed.parse(valueOf(await clientOf(url, token).call('operation.list', {})));
      return new Set(items.map(({ name }) => name));
    };
    assert.deepEqual(operationsOfMachine.difference(await offered(own)), new Set(), 'each of them exists elsewhere');
    assert.deepEqual(operationsOfMachine.intersection(await offered(shared)), new Set());
    const client = clientOf(shared.url, shared.token);
    const refused = await client.call('folder.list', {});
    assert.equal(refused.ok, false);
    assert.deepEqual(
      z.object({ items: z.array(z.unknown()) }).parse(valueOf(await client.call('source.list', {}))).items,
      [],
    );
    const before = sizes.parse(valueOf(await client.call('data.sizes', {})));
    assert.deepEqual(
      before.parts.map(({ part }) => part),
      ['conversations', 'files', 'search index', 'snapshots', 'other'],
    );
    await schema.query(`INSERT INTO loom.once SELECT 'x', convert_to(repeat('y', 1000000), 'UTF8'), 0`);
    const after = sizes.parse(valueOf(await client.call('data.sizes', {})));
    assert.ok(after.total > before.total);
  },
);
