import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSignal, Inbox, Outbox } from './wake-message.ts';

/** PostgreSQL takes no more. */
const room = 7_999;

test('[PG3] what was appended in a moment shares notifications, each of which PostgreSQL takes', () => {
  const outbox = new Outbox('me');
  for (let index = 0; index < 4000; index += 1) outbox.addLog(`root-${index % 1000}`, index);
  const messages = outbox.take();
  assert.ok(messages.length > 1 && messages.length < 10, `${messages.length}`);
  const named = new Map<string, number | null>();
  for (const message of messages) {
    assert.ok(Buffer.byteLength(message) <= room);
    const signal = decodeSignal(message);
    for (const [log, seq] of signal?.type === 'logs' ? signal.logs : []) named.set(log, seq);
  }
  assert.equal(named.size, 1000);
  assert.equal(named.get('root-7'), 3007);
  assert.ok(outbox.isEmpty);
});

test('[PG3] where there is too much to name, all logs are woken', () => {
  const outbox = new Outbox('me');
  for (let index = 0; index < 6000; index += 1) outbox.addLog(`root-${index}`, 1);
  assert.deepEqual(outbox.take().map(decodeSignal), [{ type: 'all', sender: 'me' }]);
  outbox.addLog('x'.repeat(8000), 1);
  assert.deepEqual(outbox.take().map(decodeSignal), [{ type: 'all', sender: 'me' }]);
});

test('[PG3] an announcement of any length and text arrives as it was, also between those of others', () => {
  const [one, other, inbox] = [new Outbox('one'), new Outbox('other'), new Inbox()];
  const long = `${'😀"\\\0é\u2028'.repeat(3000)}end`;
  one.say('presence', long);
  one.say('presence', 'short');
  other.say('elsewhere', long);
  const [first, second] = [one.take(), other.take()];
  assert.ok(first.length > 5 && [...first, ...second].every((message) => Buffer.byteLength(message) <= room));
  const heard: unknown[] = [];
  for (let index = 0; index < first.length; index += 1) {
    for (const message of [first[index], second[index]]) {
      const signal = decodeSignal(message ?? '');
      if (signal?.type === 'said') heard.push(inbox.add(signal));
    }
  }
  assert.deepEqual(
    heard.filter((each) => each !== undefined),
    [
      ['presence', long],
      ['elsewhere', long],
      ['presence', 'short'],
    ],
  );
});

test('[PG3] an announcement of which a piece is missing is dropped, and the next one heard', () => {
  const [outbox, inbox] = [new Outbox('one'), new Inbox()];
  outbox.say('a', 'x'.repeat(5000));
  outbox.say('a', 'next');
  const heard = outbox.take().flatMap((message, index) => {
    const signal = decodeSignal(message);
    return index === 1 || signal?.type !== 'said' ? [] : [inbox.add(signal)];
  });
  assert.deepEqual(
    heard.filter((each) => each !== undefined),
    [['a', 'next']],
  );
});

test('[PG3] a notification that is none of Loom’s is left alone', () => {
  for (const payload of ['', 'hello', '{}', '[1]', '{"type":"logs","sender":"x"}', '{"type":"said","sender":1}']) {
    assert.equal(decodeSignal(payload), undefined);
  }
});
