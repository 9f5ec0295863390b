import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { readEvents } from '../testing/event-reader.ts';
import { serveLoom } from '../testing/served-loom.ts';

const said = (content: string) => ({ role: 'user' as const, content });

test('[SV22] a stream begins with a snapshot, its ids are places in the log, and it goes on behind the last one', async (t) => {
  const { requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const response = await requests.fetch(`/api/v1/events?root=${root}`);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = readEvents(response);
  const welcome = (await events.next()).value ?? assert.fail();
  assert.equal(welcome.frame?.type === 'welcome' && welcome.frame.snapshot?.nodes.length, 0);
  await requests.call('node.append', { parent: root, messages: [said('one')] });
  const first = (await events.next()).value ?? assert.fail();
  assert.equal(first.frame?.type, 'change');
  assert.match(first.id ?? '', /^\d+:./u);
  await events.return();
  await requests.call('node.append', { parent: root, messages: [said('two')] });
  await requests.call('node.append', { parent: root, messages: [said('three')] });
  const again = readEvents(
    await requests.fetch(`/api/v1/events?root=${root}`, { headers: { 'last-event-id': first.id ?? '' } }),
  );
  const resumed = (await again.next()).value;
  assert.ok(resumed?.frame?.type === 'welcome' && resumed.frame.snapshot === undefined);
  assert.equal(resumed.id, first.id, 'the welcome alone brings it no further');
  const missed = [await again.next(), await again.next()].map(({ value }) => JSON.stringify(value?.frame));
  assert.match(missed.join(), /"two".*"three"/u);
  assert.doesNotMatch(missed.join(), /"one"/u);
  await again.return();
  for (const nonsense of ['x', '99999:epoch', '3:', '-1:e']) {
    const fresh = readEvents(await requests.fetch(`/api/v1/events?root=${root}&after=${nonsense}`));
    const begun = (await fresh.next()).value?.frame;
    assert.equal(begun?.type === 'welcome' && begun.snapshot?.nodes.length, 3, nonsense);
    await fresh.return();
  }
});

test('[SV51] a stream is spoken to by its own agent alone, and by nothing that changes the conversation', async (t) => {
  const { requests, as } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const { nodes } = await requests.call('node.append', { parent: root, messages: [said('one')] });
  const events = readEvents(await requests.fetch(`/api/v1/events?root=${root}&join=mine`));
  await events.next();
  const ask = { stream: 'mine', frame: { type: 'fetch', id: 'f', nodes: [...nodes, `${root}/node-9`] } };
  assert.deepEqual(await requests.post('/api/v1/events', ask), { status: 200, body: { ok: true, value: null } });
  const answered = (await events.next()).value?.frame;
  assert.ok(answered?.type === 'nodes' && answered.id === 'f');
  assert.deepEqual([answered.nodes.map(({ id }) => id), answered.gone], [nodes, [`${root}/node-9`]]);
  const eve = await as({ agent: 'eve', type: 'person', role: 'reader' });
  assert.equal((await eve.post('/api/v1/events', ask)).status, 404);
  assert.equal((await requests.post('/api/v1/events', { ...ask, stream: 'other' })).status, 404);
  const block = `${root}/@person/1`;
  await requests.post('/api/v1/events', { stream: 'mine', frame: { type: 'open', id: 'o', block } });
  const refused = (await events.next()).value?.frame;
  assert.equal(refused?.type === 'refused' && refused.refusal.reason, 'not-permitted');
  await requests.post('/api/v1/events', { stream: 'mine', frame: { type: 'nonsense' } });
  assert.equal((await events.next()).done, true);
  assert.equal((await requests.post('/api/v1/events', ask)).status, 404, 'the stream is over');
});

test('[SV22] a stream that is silent shows every 15 seconds that it is there', async (t) => {
  const clock = new VirtualClock();
  const { requests } = await serveLoom(t, { clock });
  const { root } = await requests.call('root.create', {});
  const events = readEvents(await requests.fetch(`/api/v1/events?root=${root}`));
  await events.next();
  clock.advance(15_000);
  assert.deepEqual((await events.next()).value, { comment: 'still here' });
  await events.return();
});

test('[SV22] a stream of a part of a conversation holds that part; what may not be seen is refused before it begins', async (t) => {
  const { requests, as } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const { nodes } = await requests.call('node.append', { parent: root, messages: [said('one'), said('two')] });
  await requests.call('node.append', { parent: root, messages: [said('beside')] });
  const subtree = encodeURIComponent(nodes[1] ?? '');
  const events = readEvents(await requests.fetch(`/api/v1/events?root=${root}&subtree=${subtree}`));
  const frame = (await events.next()).value?.frame;
  assert.deepEqual(frame?.type === 'welcome' && frame.snapshot?.nodes.map(({ id }) => id), [nodes[1]]);
  await events.return();
  const eve = await as({ agent: 'eve', type: 'person', role: 'reader', roots: ['root-other'] });
  for (const [agent, path, status] of [
    [eve, `/api/v1/events?root=${root}`, 403],
    [requests, '/api/v1/events?root=root-none', 404],
    [requests, '/api/v1/events', 400],
  ] as const) {
    const refused = await agent.fetch(path);
    assert.equal(refused.status, status);
    assert.match(await refused.text(), /"refusal":\{"reason"/u);
  }
});
