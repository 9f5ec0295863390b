import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HastyClock } from '../../testing/hasty-clock.ts';
import { watchFetch } from './watched-fetch.ts';
import type { Watch } from './watched-fetch.ts';

/** Returns a watched `fetch` that a function answers, and its recordings. */
function watched(answer: typeof globalThis.fetch, more: Partial<Watch> = {}) {
  const recorded = { request: '', response: '' };
  const broken: unknown[] = [];
  const fetch = watchFetch({
    fetch: answer,
    clock: new HastyClock(),
    timeouts: { firstByte: 300_000, stall: 300_000 },
    record: (part, bytes) => void (recorded[part] += new TextDecoder().decode(bytes)),
    secrets: ['sk-canary'],
    exact: new Map(),
    onHead: () => {},
    onBytes: () => {},
    onBroken: (error) => void broken.push(error),
    ...more,
  });
  return { fetch, recorded, broken };
}

const headers = {
  authorization: 'Bearer sk-canary',
  'x-api-key': 'sk-canary',
  'x-goog-api-key': 'sk-canary',
  cookie: 'session',
  'x-other': 'sk-canary',
};

test('[AP10] what is sent and received is recorded, without keys wherever they stand', async () => {
  const { fetch, recorded } = watched(async () => {
    return new Response('you sent sk-canary, thank you', { headers: { 'set-cookie': 'a=b', 'x-echo': 'sk-canary' } });
  });
  const response = await fetch('https://api.example/v1?key=sk-other&alt=sse', {
    method: 'POST',
    headers,
    body: '{"token":"sk-canary"}',
  });
  assert.equal(await response.text(), 'you sent sk-canary, thank you');
  assert.equal(
    recorded.request,
    `POST https://api.example/v1?key=%5Bredacted%5D&alt=sse
authorization: [redacted]
cookie: [redacted]
x-api-key: [redacted]
x-goog-api-key: [redacted]
x-other: [redacted]

{"token":"[redacted]"}`,
  );
  assert.equal(
    recorded.response,
    `200 
content-type: text/plain;charset=UTF-8
set-cookie: [redacted]
x-echo: [redacted]

you sent [redacted], thank you`,
  );
});

test('[AP10] a key is found in what is received wherever it is cut, and nothing else is held back or changed', async () => {
  const said = 'sk- sk-can sk-canary, sk-sk-canary sk-canar';
  const bytes = new TextEncoder().encode(said);
  for (let first = 0; first <= bytes.length; first += 1) {
    for (const second of [first, first + 1, first + 5]) {
      const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
      const { fetch, recorded } = watched(async () => new Response(body));
      assert.equal(await (await fetch('https://api.example/')).text(), said);
      const kept = recorded.response.slice(recorded.response.indexOf('\n\n') + 2);
      assert.equal(kept, 'sk- sk-can [redacted], sk-[redacted] sk-canar', `cut at ${first} and ${second}`);
    }
  }
});

test('[AP11] no redirect is followed: the key stays where it was sent to', async () => {
  let redirect: unknown;
  const { fetch } = watched(async (_url, init) => {
    redirect = init?.redirect;
    return new Response('');
  });
  await fetch('https://api.example/');
  assert.equal(redirect, 'error');
});

test('[AP9] when a connection breaks, everything that came before is still passed on', async () => {
  const failure = new Error('reset');
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        if (pulls > 3) controller.error(failure);
        else controller.enqueue(new TextEncoder().encode(`${pulls} `));
      },
    },
    { highWaterMark: 0 },
  );
  const { fetch, broken } = watched(async () => new Response(body));
  assert.equal(await (await fetch('https://api.example/')).text(), '1 2 3 ');
  assert.deepEqual(broken, [failure]);
});
