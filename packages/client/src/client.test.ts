import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { readAnswer } from './answers.ts';
import { Backoff } from './backoff.ts';
import { LoomClient } from './client.ts';
import { ClientError } from './client-error.ts';
import { EventParser } from './event-parser.ts';

test('[CL5] each wait is twice as long as the one before, up to 15 seconds, and no two clients take the same', () => {
  for (const [random, part] of [
    [0, 0.5],
    [0.999, 0.9995],
  ] as const) {
    const clock = new VirtualClock(0);
    const backoff = new Backoff({ clock, random: () => random });
    const waits = Array.from({ length: 9 }, () => {
      const before = clock.now();
      let end = -1;
      backoff.wait(() => (end = clock.now()));
      clock.advance(20_000);
      return end - before;
    });
    assert.deepEqual(
      waits.map((wait) => Math.round(wait)),
      [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000].map((most) => Math.round(most * part)),
    );
    backoff.reset();
    const stop = backoff.wait(() => assert.fail('it was prevented'));
    stop();
    clock.advance(20_000);
  }
});

test('[CL4] events are read wherever the stream is cut, and comments are no events', () => {
  const stream = 'id: 1:e\ndata: {"a":"b"}\n\n: still here\n\nid: 2:e\ndata: {"c":"é😀"}\n\n';
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const parser = new EventParser();
    const data = [...parser.push(stream.slice(0, cut)), ...parser.push(stream.slice(cut))];
    assert.deepEqual(data, ['{"a":"b"}', '{"c":"é😀"}'], `cut at ${cut}`);
  }
});

test('[CL6] an answer is an outcome, a problem of the door, or none of a Loom server', () => {
  const cursor = { epoch: 'e', seq: 3 };
  assert.deepEqual(readAnswer(200, JSON.stringify({ ok: true, value: [1], cursor })), { ok: true, value: [1], cursor });
  const refusal = { reason: 'reason-of-a-newer-server', more: 1 };
  assert.deepEqual(readAnswer(409, JSON.stringify({ ok: false, refusal, message: 'x' })), { ok: false, refusal });
  const failures: [string, string][] = [
    ['{"ok":false,"problem":{"reason":"wrong-host"},"message":"Use the address."}', 'wrong-host'],
    ['<html>', 'not-loom'],
    ['[]', 'not-loom'],
    ['{"ok":false}', 'not-loom'],
    ['null', 'not-loom'],
  ];
  for (const [text, code] of failures) {
    assert.throws(
      () => readAnswer(502, text),
      (error) => error instanceof ClientError && error.code === code && error.status === 502,
    );
  }
});

test('[CL30] a call that is cancelled is not asked again', async () => {
  const controller = new AbortController();
  let asked = 0;
  const client = new LoomClient({
    url: 'http://127.0.0.1:1',
    token: 'token',
    fetch(_url, { signal }) {
      asked += 1;
      controller.abort(new Error('typed on'));
      return Promise.reject(new Error(`aborted: ${signal?.aborted}`));
    },
    clock: { now: () => 0, after: () => assert.fail('nothing is waited for') },
    ids: { next: () => 'id' },
    random: () => 0,
  });
  await assert.rejects(client.call('root.list', {}, { signal: controller.signal }), { code: 'cancelled' });
  assert.equal(asked, 1);
});
