import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPush } from './push-message.ts';

test('[WB710] a push message becomes a notice without content, and never leads out of the page', () => {
  assert.deepEqual(readPush('{"what":"needs-you","path":"/needs-you#r%2Fn"}'), {
    title: 'A turn needs you',
    path: '/needs-you#r%2Fn',
  });
  assert.deepEqual(readPush('{"what":"ended","path":"/r/x"}'), { title: 'A turn ended', path: '/r/x' });
  const unknown = { title: 'Loom has news for you', path: '/needs-you' };
  const texts = [
    '',
    'null',
    '[]',
    '{"what":"__proto__"}',
    '{"path":"//evil"}',
    '{"path":"/\\\\evil"}',
    '{"path":"https://x"}',
  ];
  for (const text of texts) assert.deepEqual(readPush(text), unknown, text);
});
