import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { useEnvironmentProxy } from './proxy.ts';

test('[AP15] requests go through the proxy that the environment names, those to this machine excepted', async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  const restore = useEnvironmentProxy({ HTTP_PROXY: own, no_proxy: 'internal.example' });
  try {
    await fetch('http://models.example/v1');
    await fetch(`${own}/direct`);
    assert.deepEqual(asked, ['http://models.example/v1', '/direct']);
    await assert.rejects(() => fetch('http://internal.example/'));
  } finally {
    restore();
    server.close();
    server.closeAllConnections();
  }
});
