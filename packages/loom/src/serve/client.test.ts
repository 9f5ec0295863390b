import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { ClientError, createMemoryOutboxStorage, signIn } from '@loom/client';
import type { LoomClient } from '@loom/client';
import { spliceText } from '@loom/blocks';
import { ClientText } from '@loom/blocks/document';
import { defineOperation } from '@loom/kernel';
import { instantClock, Random } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import type { ReplicaChange } from '@loom/sync';
import { editTexts } from '@loom/sync/editing';
import { z } from 'zod';
import { openCuttingProxy } from './testing/cutting-proxy.ts';
import { nodesInOrder, clientOf, conversationOf, openTestTokens, serve, valueOf } from './testing/served.ts';
import type { Served } from './testing/served.ts';

async function begin(client: LoomClient, content = 'Tell me a story.'): Promise<{ root: string; node: string }> {
  const { root } = valueOf(await client.call('root.create', {}));
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
  return { root, node: nodes[0] ?? '' };
}

/** Returns the nodes of the server, as a replica knows them. */
async function nodesOf({ engine }: Served, root: string): Promise<unknown[]> {
  const state = await engine.forest.log(root).state();
  return nodesInOrder(state.nodes.values());
}

for (const transport of ['socket', 'events'] as const) {
  test(`[CL3] a conversation is followed while it is written, by ${transport}`, async (t) => {
    const served = await serve(t, { pace: instantClock() });
    const client = clientOf(served.url, served.token, transport);
    const { root, node } = await begin(client);
    const followed = client.follow(root);
    assert.equal(await followed.ready(), true);
    const { turns } = valueOf(await client.call('turn.start', { node, provider: 'demo', model: 'demo' }));
    assert.deepEqual(valueOf(await client.call('turn.wait', { root, turn: turns[0] ?? '' })), { ended: 'done' });
    const now = await client.call('root.get', { root });
    await followed.reach((now.ok && now.cursor) || assert.fail());
    assert.deepEqual(conversationOf(followed), await nodesOf(served, root));
    assert.equal(conversationOf(followed).length, 2);
    followed.close();
    const missing = client.follow('root-none');
    assert.equal(await missing.ready(), false);
    assert.equal(missing.replica.refusal?.reason, 'root-not-found');
    missing.close();
  });

  test(`[CL7][SV51] a long conversation is followed whole, or by its last branch, by ${transport}`, async (t) => {
    const served = await serve(t);
    const client = clientOf(served.url, served.token, transport);
    const { root, node } = await begin(client);
    const messages = Array.from({ length: 350 }, (_, index) => ({
      role: 'user' as const,
      content: `message ${index}`,
    }));
    const { nodes } = valueOf(await client.call('node.append', { parent: node, messages }));
    const whole = client.follow(root);
    assert.equal(await whole.ready(), true);
    assert.deepEqual(new Set(conversationOf(whole)), new Set(await nodesOf(served, root)));
    const branch = client.follow(root, { load: 'branch' });
    assert.equal(await branch.ready(), true);
    assert.ok(branch.replica.nodes.size <= 100 && branch.replica.nodes.has(nodes.at(-1) ?? ''));
    const [first = ''] = nodes;
    branch.replica.want([first]);
    while (!branch.replica.nodes.has(first)) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(branch.replica.outline.size, 351);
    whole.close();
    branch.close();
  });

  test(`[CL5] a server that is ended and begun again is found again by itself, by ${transport}`, async (t) => {
    const store = createMemoryStore({ now: Date.now });
    const tokens = await openTestTokens();
    const first = await serve(t, { store, tokens });
    const client = clientOf(first.url, first.token, transport);
    const { root } = await begin(client);
    const followed = client.follow(root);
    await followed.ready();
    await first.stop();
    const second = await serve(t, { store, tokens, port: Number(new URL(first.url).port) });
    const said = { parent: root, messages: [{ role: 'user' as const, content: 'still here' }] };
    const answer = await client.call('node.append', said);
    await followed.reach((answer.ok && answer.cursor) || assert.fail());
    assert.deepEqual(conversationOf(followed), await nodesOf(second, root));
    followed.close();
  });
}

test('[CL4][SV23] feeds that are cut at any byte, 60 times in all, go on with nothing lost or doubled, by socket and by events', async (t) => {
  const seed = Number(process.env['LOOM_SEED'] ?? 7);
  t.diagnostic(`LOOM_SEED=${seed}`);
  let tried = 0;
  for (const round of rounds((done) => done * cutsOfRound >= cuts)) {
    await cutFeeds(t, new Random(seed + round - 1));
    tried = round * cutsOfRound;
  }
  tellTried(t, tried, 'cuts of a feed');
});

/** More in the deep run. */
const cuts = Number(process.env['LOOM_CUTS'] ?? 60);
const cutsOfRound = 60;

/** Cuts a feed by socket and one by events at random bytes while a text grows, and compares what both know with the server. */
async function cutFeeds(t: TestContext, random: Random): Promise<void> {
  const proxies = [await openCuttingProxy(t), await openCuttingProxy(t)] as const;
  const served = await serve(t, { names: proxies.map(({ url }) => new URL(url).host) });
  const direct = clientOf(served.url, served.token);
  const { root } = await begin(direct);
  const made = { parent_id: root, role: 'assistant' as const, kind: 'text' };
  const { block_id } = valueOf(await direct.call('block.create', made));
  const followed = proxies.map((proxy, index) => {
    proxy.target = served.url;
    for (let cut = 0; cut < 30; cut += 1) proxy.cutAfter(1 + random.below(3000));
    const seqs: number[] = [];
    const client = clientOf(proxy.url, served.token, index === 0 ? 'socket' : 'events');
    const onChange = (what: ReplicaChange): void => void (what.type === 'change' && seqs.push(what.seq));
    return { seqs, conversation: client.follow(root, { onChange }) };
  });
  for (let count = 0; proxies.some(({ cuts }) => cuts < 30); count += 1) {
    const text = `${count} words and more, so that every connection comes to its end soon\n`;
    await served.engine.blocks.append({ agent: 'person', id: `words-${count}` }, { block_id, text });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  valueOf(await direct.call('block.status', { block_id, status: 'done' }));
  const last = await direct.call('root.get', { root });
  for (const { seqs, conversation } of followed) {
    await conversation.reach((last.ok && last.cursor) || assert.fail());
    assert.deepEqual(conversationOf(conversation), await nodesOf(served, root));
    const inOrder = [...new Set(seqs)].sort((one, other) => one - other);
    assert.deepEqual(seqs, inOrder, 'each change once, in order');
    conversation.close();
  }
}

test('[CL20][CL25] what is said while the server is away is said when a feed finds it again, once', async (t) => {
  const store = createMemoryStore({ now: Date.now });
  const tokens = await openTestTokens();
  const proxy = await openCuttingProxy(t);
  const names = [new URL(proxy.url).host];
  const first = await serve(t, { store, tokens, names });
  proxy.target = first.url;
  const client = clientOf(proxy.url, first.token);
  const { root } = await begin(client);
  const followed = client.follow(root);
  await followed.ready();
  const outbox = await client.openOutbox(createMemoryOutboxStorage());
  t.after(() => outbox.close());
  proxy.cutAfter(20);
  const messages = ['one', 'two'].map((content) =>
    outbox.add('node.append', { parent: root, messages: [{ role: 'user', content }] }),
  );
  await first.stop();
  const second = await serve(t, { store, tokens, names });
  proxy.target = second.url;
  for (const { outcome } of messages) {
    const answer = await outcome;
    await followed.reach((answer.ok && answer.cursor) || assert.fail());
  }
  const texts = [...followed.replica.nodes.values()].map(({ blocks: [block] }) => block?.type === 'text' && block.text);
  assert.deepEqual(texts, ['Tell me a story.', 'one', 'two']);
  assert.deepEqual(conversationOf(followed), await nodesOf(second, root));
  followed.close();
});

test('[CL29] what was typed while the server was away is in the text when another page has found it', async (t) => {
  const store = createMemoryStore({ now: Date.now });
  const tokens = await openTestTokens();
  const storage = createMemoryOutboxStorage();
  const createTexts = editTexts((client, seed) => new ClientText(client, seed));
  const first = await serve(t, { store, tokens });
  const client = clientOf(first.url, first.token);
  const { root } = await begin(client, 'one');
  const block = `${root}/@person/1`;
  const changed = Promise.withResolvers<void>();
  const page = client.follow(root, {
    storage,
    createTexts,
    onChange: ({ type }) => type === 'text' && changed.resolve(),
  });
  await page.ready();
  page.replica.open(block);
  await changed.promise;
  await first.stop();
  page.replica.edit(block, [{ at: 3, delete: 0, insert: ' two' }]);
  page.close();
  await storage.put({ id: 'text:x', text: '{"block":7}' });
  const second = await serve(t, { store, tokens, port: Number(new URL(first.url).port) });
  const splice = { block_id: block, offset: 0, delete_count: 0, insert: 'zero ' };
  valueOf(await clientOf(second.url, first.token).call('block.splice', splice));
  const saved = Promise.withResolvers<void>();
  const again = clientOf(second.url, first.token).follow(root, {
    storage,
    createTexts,
    onChange: () =>
      again.replica.text(block) === 'zero one two' && again.replica.unsaved.length === 0 && saved.resolve(),
  });
  await saved.promise;
  const outbox = await client.openOutbox(storage);
  assert.deepEqual([outbox.entries(), outbox.getSnapshot().damaged], [[], []], 'texts are no entries');
  outbox.close();
  assert.deepEqual(await storage.load(), [{ id: 'text:x', text: '{"block":7}' }]);
  assert.deepEqual(conversationOf(again), await nodesOf(second, root));
  again.close();
});

test('[CL32] a text that is typed, undone and redone here is followed by splices there', async (t) => {
  const store = createMemoryStore({ now: Date.now });
  const tokens = await openTestTokens();
  const first = await serve(t, { store, tokens });
  const { root } = await begin(clientOf(first.url, first.token), 'one');
  const block = `${root}/@person/1`;
  const createTexts = editTexts((client, seed) => new ClientText(client, seed));
  let wake = (): void => {};
  let mirror = 'one';
  const onChange = (what: ReplicaChange): void => {
    if (what.type === 'text' && what.block === block) mirror = spliceText(mirror, what.splices);
    wake();
  };
  const [here, there] = [0, 1].map(() =>
    clientOf(first.url, first.token).follow(root, { createTexts, onChange: () => wake() }),
  );
  assert.ok(here !== undefined && there !== undefined);
  const reader = clientOf(first.url, first.token).follow(root, { createTexts, onChange });
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((resolve) => (wake = resolve));
  };
  const saysAtAll = (text: string): Promise<void> =>
    until(() => mirror === text && [here, there, reader].every(({ replica }) => replica.text(block) === text));
  for (const { replica } of [here, there, reader]) {
    await until(() => replica.status === 'live');
    replica.open(block);
    await until(() => replica.isOpen(block));
  }
  here.replica.edit(block, [{ at: 3, delete: 0, insert: ' two' }]);
  await saysAtAll('one two');
  here.replica.undo(block);
  await saysAtAll('one');
  // Of the same agent, in another window.
  there.replica.redo(block);
  await saysAtAll('one two');
  await first.stop();
  await until(() => here.replica.status === 'offline');
  here.replica.edit(block, [{ at: 0, delete: 4, insert: '' }]);
  here.replica.undo(block);
  assert.equal(here.replica.text(block), 'one two', 'without a server what was not sent is taken back at once');
  here.replica.undo(block);
  here.replica.edit(block, [{ at: 0, delete: 0, insert: '> ' }]);
  await serve(t, { store, tokens, port: Number(new URL(first.url).port) });
  await saysAtAll('> one');
  for (const followed of [here, there, reader]) followed.close();
});

test('[CL1] an operation is answered with its outcome, and refusals are outcomes too', async (t) => {
  const { url, token } = await serve(t);
  const client = clientOf(url, token);
  const { root } = await begin(client);
  const got = await client.call('root.get', { root });
  assert.equal(got.ok && got.value.opening, 'Tell me a story.');
  const refused = await client.call('node.get', { node: `${root}/node-9` });
  assert.deepEqual(refused, {
    ok: false,
    refusal: { reason: 'node-not-found', node: `${root}/node-9`, next: { type: 'list-nodes' } },
  });
});

test('[CL2] a call whose answer was lost is repeated under its key, and done once', async (t) => {
  const proxy = await openCuttingProxy(t);
  const served = await serve(t, { names: [new URL(proxy.url).host] });
  proxy.target = served.url;
  proxy.cutAfter(20);
  const client = clientOf(proxy.url, served.token);
  valueOf(await client.call('root.create', {}));
  assert.equal(proxy.cuts, 1);
  const { items } = valueOf(await client.call('root.list', {}));
  assert.equal(items.length, 1);
});

test('[CL6] a client that is not let in is told why; a server that is away, and one that is none, are told apart', async (t) => {
  const served = await serve(t);
  const failure = async (work: Promise<unknown>): Promise<ClientError> => {
    const error = await work.then(
      () => assert.fail(),
      (caught: unknown) => caught,
    );
    return error instanceof ClientError ? error : assert.fail(String(error));
  };
  const stranger = clientOf(served.url, 'loom_x');
  const turnedAway = await failure(stranger.call('root.list', {}));
  assert.deepEqual([turnedAway.code, turnedAway.status, turnedAway.isSignedOut], ['wrong-token', 401, true]);
  const out = Promise.withResolvers<ClientError>();
  const followed = stranger.follow('root-x', { onSignedOut: out.resolve });
  assert.equal((await out.promise).code, 'wrong-token');
  followed.close();
  assert.equal((await failure(signIn(served.url, 'x', fetch))).code, 'wrong-code');
  await served.stop();
  assert.equal((await failure(clientOf(served.url, served.token).call('root.list', {}))).code, 'unreachable');
});

test('[CL30] a call that is cancelled rejects at once, is not tried again, and ends the search at the server', async (t) => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  let calls = 0;
  const wait = defineOperation({
    name: 'test.wait',
    summary: 'Waits until its caller does not.',
    params: () => z.strictObject({}),
    result: () => z.null(),
    effect: 'reads',
    run: async (_engine, { signal }) => {
      calls += 1;
      isAsked();
      await new Promise<void>((end) => signal?.addEventListener('abort', () => end()));
      resolve();
      return { ok: true, value: null };
    },
  });
  const { url, token } = await serve(t, { operations: [wait] });
  const stop = new AbortController();
  const calling = clientOf(url, token).call('test.wait', {}, { signal: stop.signal });
  await asked;
  stop.abort();
  await assert.rejects(calling, { code: 'cancelled' });
  await aborted;
  assert.equal(calls, 1);
  await assert.rejects(clientOf(url, token).call('root.list', {}, { signal: AbortSignal.abort() }), {
    code: 'cancelled',
  });
});
