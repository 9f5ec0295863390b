import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { serveLoom } from '../testing/served-loom.ts';
import type { Requests } from '../testing/requests.ts';

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
const id = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function upload(
  requests: Requests,
  body: Uint8Array<ArrayBuffer>,
  type = 'application/octet-stream',
): Promise<Response> {
  return requests.fetch('/api/v1/blobs', { method: 'POST', body, headers: { 'content-type': type } });
}

test('[SV18] bytes come down as they went up, whole or a range of them, and never as anything but bytes', async (t) => {
  const { requests } = await serveLoom(t);
  assert.deepEqual(await (await upload(requests, bytes)).json(), { ok: true, value: { blob: id, bytes: 1000 } });
  const whole = await requests.fetch(`/api/v1/blobs/${id}`);
  assert.deepEqual(await whole.bytes(), bytes);
  assert.equal(whole.headers.get('content-type'), 'application/octet-stream');
  assert.equal(whole.headers.get('content-disposition'), 'attachment');
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
  const ranges: [string, number, number][] = [
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1000],
    ['bytes=-5', 995, 1000],
    ['bytes=-5000', 0, 1000],
    ['bytes=10-99999', 10, 1000],
  ];
  for (const [range, start, end] of ranges) {
    const part = await requests.fetch(`/api/v1/blobs/${encodeURIComponent(id)}`, { headers: { range } });
    assert.equal(part.status, 206, range);
    assert.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/1000`);
    assert.deepEqual(await part.bytes(), bytes.subarray(start, end));
  }
  for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=-']) {
    assert.equal((await requests.fetch(`/api/v1/blobs/${id}`, { headers: { range } })).status, 200, range);
  }
});

test('[SV18][SV19] what is no blob, not there, outside, too large or not for this agent is refused, and ids are not paths', async (t) => {
  const { requests, as } = await serveLoom(t);
  await upload(requests, bytes);
  for (const path of [
    'x',
    id.replace('sha256', 'md5'),
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    `${id}%00`,
    id.slice(0, -1),
  ]) {
    const missing = await requests.fetch(`/api/v1/blobs/${path}`);
    assert.ok([400, 404].includes(missing.status), path);
    await missing.text();
  }
  const outside = await requests.fetch(`/api/v1/blobs/${id}`, { headers: { range: 'bytes=1000-' } });
  assert.deepEqual([outside.status, /bad-range.*has 1000 bytes/su.test(await outside.text())], [416, true]);
  assert.equal((await upload(requests, bytes, 'image/png')).status, 415);
  assert.equal((await upload(requests, new Uint8Array(32 * 1024 * 1024 + 1))).status, 413);
  const reader = await as({ agent: 'eve', type: 'person', role: 'reader' });
  assert.equal((await upload(reader, bytes)).status, 403);
  assert.deepEqual(await (await reader.fetch(`/api/v1/blobs/${id}`)).bytes(), bytes, 'it may read all conversations');
});

test('[SV86] a token for some conversations reads the blobs that they show and those that it sent, and names no others', async (t) => {
  const { requests, as } = await serveLoom(t);
  await upload(requests, bytes);
  const [mine, other] = [await requests.call('root.create', {}), await requests.call('root.create', {})];
  const image = { type: 'image' as const, media_type: 'image/png', blob: id };
  const show = (root: string, by: Requests, blob = id) =>
    by.post('/api/v1/node.append', { parent: root, messages: [{ role: 'user', content: [{ ...image, blob }] }] });
  const limited = await as({ agent: 'ada', type: 'person', role: 'writer', roots: [mine.root] });
  const readBy = async (by: Requests, blob = id): Promise<number> => {
    const response = await by.fetch(`/api/v1/blobs/${blob}`);
    await response.bytes();
    return response.status;
  };
  assert.equal((await show(other.root, requests)).status, 200);
  assert.deepEqual([await readBy(requests), await readBy(limited)], [200, 404]);
  const named = await show(mine.root, limited);
  assert.deepEqual([named.status, await readBy(limited)], [400, 404], 'its name in a message of one opens nothing');
  assert.match(String(named.body['message']), /none of your conversations shows/u);
  const own = Uint8Array.from([1, 2, 3]);
  await upload(limited, own);
  const ownId = `sha256:${createHash('sha256').update(own).digest('hex')}`;
  assert.equal(await readBy(limited, ownId), 200);
  assert.equal((await show(mine.root, limited, ownId)).status, 200);
  const reader = await as({ agent: 'eve', type: 'person', role: 'reader', roots: [mine.root] });
  assert.deepEqual([await readBy(reader, ownId), await readBy(reader)], [200, 404]);
  assert.equal((await show(mine.root, requests)).status, 200);
  assert.deepEqual([await readBy(reader), await readBy(limited)], [200, 200], 'a conversation of theirs shows it now');
  await requests.call('root.remove', { root: mine.root });
  assert.deepEqual([await readBy(reader), await readBy(limited)], [404, 404]);
});
