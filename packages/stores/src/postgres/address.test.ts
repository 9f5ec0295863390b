import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { readPostgresUrl } from './address.ts';
import { openPostgresStore } from './open.ts';

const secret = 'p%40ss-canary-3f9a';

test('[PG6] a URL is read with the parameters of Loom taken out, and shown without user and password', () => {
  const direct = encodeURIComponent(`postgres://loom:${secret}@db-direct:5432/main`);
  const read = readPostgresUrl(
    `postgres://loom:${secret}@db:6432/main?schema=team_a&pooled=1&sslmode=require&listen=${direct}`,
  );
  assert.deepEqual(read, {
    url: `postgres://loom:${secret}@db:6432/main?sslmode=require`,
    listenUrl: `postgres://loom:${secret}@db-direct:5432/main`,
    schema: 'team_a',
    isPooled: true,
    shown: 'postgres://db:6432/main?schema=team_a',
  });
  assert.equal(readPostgresUrl('postgresql://db/main').schema, 'loom');
});

test('[PG6] no error about a URL or a connection says its password', async () => {
  for (const url of [
    `postgres://loom:${secret}@[/main`,
    `http://loom:${secret}@db/main`,
    `postgres://loom:${secret}@db/main?schema=Big-One`,
    `postgres://loom:${secret}@db/main?schema=a;drop`,
    `postgres://loom:${secret}@db/main?pooled=maybe`,
    `postgres://loom:${secret}@db/main?listen=${secret}`,
    // Nobody listens there.
    `postgres://loom:${secret}@127.0.0.1:1/main`,
  ]) {
    await assert.rejects(openPostgresStore({ url }), (error) => {
      assert.ok(error instanceof StoreError, String(error));
      assert.notEqual(error.advice, '');
      assert.doesNotMatch(JSON.stringify([error.message, error.advice, error.stack]), /canary/u);
      return true;
    });
  }
});
