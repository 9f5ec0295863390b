import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import {
  assistant,
  continuedOf,
  hear,
  machine,
  noteOf,
  requestOf,
  says,
  textsOf,
  user,
} from './testing/heard-provider.ts';
import type { FakeAnswer } from './testing/fake-codex.ts';

function oldMachine(t: TestContext, answer: FakeAnswer) {
  const old = machine(t, answer);
  old.codex.hasAppServer = false;
  return old;
}

test('[CJ17] without an app-server codex exec answers, and the session file fills what its lines leave out', async (t) => {
  const { codex, provider } = oldMachine(t, (turn) => {
    turn.item({ type: 'function_call', id: 'fc', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'c' });
    turn.item({ type: 'function_call_output', id: 'fco', call_id: 'c', output: 'f.txt' });
    turn.say('m', 'There is one file.');
    turn.end();
  });
  const heard = await hear(provider, requestOf([user('look')]));
  assert.deepEqual(textsOf(heard), ['f.txt', 'There is one file.']);
  const names = heard.events.flatMap((event) => (event.type === 'named' ? [event.origin.id] : []));
  assert.deepEqual(names, ['prompt-turn-1', 'fc', 'fco', 'm']);
  const sessions = heard.events.flatMap((event) => (event.type === 'session' ? [event.id] : []));
  assert.equal(sessions.length, 1);
  assert.equal(codex.orders.at(-1)?.at(-2), sessions[0]);
  assert.deepEqual(heard.events.at(-1), { type: 'call-end', reason: 'stop' });
  await provider.close?.();
});

test('[CJ17] a thread that ends where the branch ends is resumed; any other branch is written as a session, or told as text', async (t) => {
  const { codex, provider } = oldMachine(t, says);
  const first = await hear(provider, requestOf([user('one')]));
  const branch = [user('one'), assistant('Heard one')];
  const second = await hear(provider, requestOf([...branch, user('two')], noteOf(first)));
  assert.equal(continuedOf(second), 'resumed');
  assert.deepEqual(textsOf(second), ['Heard two']);
  const own = first.events.flatMap((event) => (event.type === 'session' ? [event.id] : []));
  assert.deepEqual(codex.orders.at(-1)?.slice(-3), ['resume', ...own, '-']);
  // The thread has gone on behind the first answer.
  assert.equal(continuedOf(await hear(provider, requestOf([...branch, user('three')], noteOf(first)))), 'session');
  assert.deepEqual(codex.orders.at(-1)?.slice(-3), ['resume', 'written', '-']);
  codex.readsSessions = false;
  const told = await hear(provider, requestOf([...branch, user('four')]));
  assert.equal(continuedOf(told), 'text');
  assert.match(textsOf(told).join(), /Assistant:\nHeard one.*four$/s);
  await provider.close?.();
});

test('[CJ17] a mode that asks changes nothing where nothing can be asked, and the offer says so', async (t) => {
  const { codex, provider } = oldMachine(t, says);
  const sandboxOf = async (approvalMode?: 'plan' | 'ask' | 'edit' | 'sandbox') => {
    const request = requestOf([user('go')]);
    await hear(provider, approvalMode === undefined ? request : { ...request, approvalMode });
    const words = codex.orders.at(-1) ?? [];
    assert.ok(words.includes('approval_policy="never"'));
    return words.find((word) => word.startsWith('sandbox_mode'));
  };
  assert.equal(await sandboxOf(), 'sandbox_mode="read-only"');
  assert.equal(await sandboxOf('plan'), 'sandbox_mode="read-only"');
  assert.equal(await sandboxOf('ask'), 'sandbox_mode="read-only"');
  assert.equal(await sandboxOf('edit'), 'sandbox_mode="workspace-write"');
  assert.equal(await sandboxOf('sandbox'), 'sandbox_mode="workspace-write"');
  const offer = await provider.offers?.();
  assert.deepEqual(offer?.state, { type: 'installed', version: '0.20.0' });
  assert.match(offer.remark ?? '', /cannot ask for approval .* take messages while it works/);
  assert.match(offer.modes?.find(({ name }) => name === 'ask')?.about ?? '', /changes nothing/);
  await provider.close?.();
});

test('[CJ17] without a session file the lines count; a failure, a stop and an end in the middle are told', async (t) => {
  const { codex, provider } = oldMachine(t, (turn) => {
    if (turn.prompt === 'fail') turn.end('failed', { message: 'unexpected status 401 Unauthorized' });
    else if (turn.prompt === 'die') turn.die();
    else turn.say('m', 'Beginning');
    if (turn.prompt === 'speak') turn.end();
  });
  const ask = async (prompt: string) => (await hear(provider, requestOf([user(prompt)]))).events.at(-1);
  const failed = await ask('fail');
  assert.ok(failed?.type === 'call-error');
  assert.deepEqual(failed.error, { code: 'auth', message: 'unexpected status 401 Unauthorized' });
  const died = await ask('die');
  assert.ok(died?.type === 'call-error');
  assert.match(died.error.message, /ended in the middle/);
  const stopping = new AbortController();
  const stopped = await hear(provider, requestOf([user('go')]), {
    signal: stopping.signal,
    on: (event) => event.type === 'block' && stopping.abort(),
  });
  assert.deepEqual(textsOf(stopped), ['Beginning']);
  assert.deepEqual(stopped.events.at(-1), { type: 'call-end', reason: 'other' });
  codex.keepsSessions = false;
  assert.deepEqual(textsOf(await hear(provider, requestOf([user('speak')]))), ['Beg…', 'inning…']);
  await provider.close?.();
});
