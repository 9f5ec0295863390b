import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { pushNetwork } from './push-network.ts';

test('[SV146] push services are asked by https alone, and none on this computer or in a private network', async () => {
  const network = pushNetwork();
  const refused = [
    'http://1.1.1.1/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.1.2.3/x',
    'https://192.168.0.9/x',
    'https://169.254.169.254/latest',
    'https://[::ffff:10.0.0.1]/x',
    'https://2130706433/x',
    'https://jo:secret@1.1.1.1/x',
    'ftp://1.1.1.1/x',
    'nonsense',
  ];
  for (const endpoint of refused) {
    assert.notEqual(await network.problemOf(endpoint), undefined, endpoint);
    await assert.rejects(network.send({ endpoint, headers: {}, body: Buffer.of() }), endpoint);
  }
  assert.equal(await network.problemOf('https://1.1.1.1/push/abc'), undefined);
});

test('[SV146] only the origin that a test names is reached on this computer', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push([request.method, request.url, request.headers['ttl'] ?? 'none'].join(' '));
    response.writeHead(request.url === '/moved' ? 302 : 201, { location: '/other' }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const testOrigin = `http://127.0.0.1:${address.port}`;
  const network = pushNetwork({ testOrigin });
  assert.equal(await network.problemOf(`http://127.0.0.1:${address.port + 1}/x`), 'must begin with https://');
  assert.equal(await network.send({ endpoint: `${testOrigin}/a`, headers: { ttl: '9' }, body: Buffer.from('x') }), 201);
  assert.equal(await network.send({ endpoint: `${testOrigin}/moved`, headers: {}, body: Buffer.of() }), 302);
  assert.deepEqual(asked, ['POST /a 9', 'POST /moved none'], 'a redirect is not followed');
});
