import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ProblemError } from '../answers/problems.ts';
import { streamBody } from '../guard/body.ts';
import { rawRequest } from '../testing/raw-request.ts';
import { serveLoom } from '../testing/served-loom.ts';

const bytesType = 'application/octet-stream';

test('[SV81] a file comes up part by part; other agents than an owner, other types and more than 1 GB are refused', async (t) => {
  const parts: number[] = [];
  const uploads = {
    async receive(stream: AsyncIterable<Uint8Array>) {
      for await (const part of stream) parts.push(part.length);
      return { upload: 'one', bytes: parts.reduce((sum, part) => sum + part, 0) };
    },
  };
  const { requests, as, url } = await serveLoom(t, { uploads });
  const send = (sender: typeof requests, type = bytesType): Promise<Response> =>
    sender.fetch('/api/v1/uploads', {
      method: 'POST',
      body: new Uint8Array(3_000_000),
      headers: { 'content-type': type },
    });
  assert.deepEqual(await (await send(requests)).json(), { ok: true, value: { upload: 'one', bytes: 3_000_000 } });
  assert.ok(parts.length > 1);
  const writer = await as({ agent: 'eve', type: 'person', role: 'writer' });
  assert.equal((await send(writer)).status, 403);
  assert.equal((await send(requests, 'application/json')).status, 415);
  const { host } = new URL(url);
  const length = String(1024 ** 3 + 1);
  const headers = ['host', host, 'authorization', `Bearer ${requests.token}`, 'content-type', bytesType];
  const { status, body } = await rawRequest(url, {
    method: 'POST',
    path: '/api/v1/uploads',
    headers: [...headers, 'content-length', length],
  });
  assert.deepEqual([status, /has more than 1 GB.*loom import/su.test(body)], [413, true]);
});

test('[SV81] a disk that does not take the file is told as that, with what to do', async (t) => {
  let code = '';
  const uploads = {
    receive: (): Promise<never> => Promise.reject(Object.assign(new Error(code), { code, syscall: 'write' })),
  };
  const { requests } = await serveLoom(t, { uploads });
  const send = async (): Promise<unknown[]> => {
    const headers = { 'content-type': bytesType };
    const answer = await requests.fetch('/api/v1/uploads', { method: 'POST', body: new Uint8Array(9), headers });
    return [answer.status, await answer.text()];
  };
  for (code of ['ENOSPC', 'EDQUOT']) {
    const [status, body] = await send();
    assert.equal(status, 507);
    assert.match(String(body), /"upload-without-room".*no room for the file.*Free some space/su);
  }
  for (code of ['EACCES', 'EIO', 'EROFS']) {
    const [status, body] = await send();
    assert.equal(status, 503);
    assert.match(String(body), new RegExp(`"upload-not-kept".*nothing of it was kept: ${code}`, 'su'));
  }
});

test('[SV81] what is more than it says, or ends in the middle, ends in an error for the one that keeps it', async (t) => {
  const request = new Request('http://loom.test/', {
    method: 'POST',
    headers: { 'content-type': bytesType },
    body: new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(6)),
    }),
    duplex: 'half',
  });
  const read: number[] = [];
  await assert.rejects(
    async () => {
      for await (const part of streamBody(request, bytesType, 10, 'upload-too-large')) read.push(part.length);
    },
    (error) => error instanceof ProblemError && error.problem.reason === 'upload-too-large',
  );
  assert.deepEqual(read, [6]);
  const { promise: failed, resolve } = Promise.withResolvers<boolean>();
  const uploads = {
    async receive(stream: AsyncIterable<Uint8Array>): Promise<never> {
      try {
        for await (const _part of stream);
      } catch (error) {
        resolve(true);
        throw error;
      }
      resolve(false);
      throw new Error('all of it came');
    },
  };
  const { requests, url } = await serveLoom(t, { uploads });
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = [`host: ${host}`, `authorization: Bearer ${requests.token}`, `content-type: ${bytesType}`];
  socket.write(`POST /api/v1/uploads HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: 100\r\n\r\nhalf`);
  socket.once('error', () => {});
  setImmediate(() => socket.destroy());
  assert.equal(await failed, true);
});
