import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FollowedList, LoomClient } from '@loom/client';
import type { Outcome } from '@loom/kernel';
import { instantClock, Random } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openCuttingProxy } from './testing/cutting-proxy.ts';
import { clientOf, openTestTokens, serve } from './testing/served.ts';

function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  return assert.fail(JSON.stringify(outcome.refusal));
}

async function begin(client: LoomClient, title: string): Promise<string> {
  const { root } = valueOf(await client.call('root.create', {}));
  valueOf(await client.call('root.mark', { root, title }));
  return root;
}

const titles = (list: FollowedList): (string | undefined)[] => list.getSnapshot().items.map(({ title }) => title);

/** Resolves once a list agrees with the server. */
async function agrees(client: LoomClient, list: FollowedList): Promise<void> {
  const { items } = valueOf(await client.call('root.list', {}));
  await list.until((view) => JSON.stringify(view.items) === JSON.stringify(items));
}

for (const transport of ['socket', 'events'] as const) {
  test(`[CL10] the list is followed while conversations are made, answered, named and deleted, by ${transport}`, async (t) => {
    const served = await serve(t, { pace: instantClock() });
    const client = clientOf(served.url, served.token, transport);
    const one = await begin(client, 'one');
    await begin(client, 'two');
    const list = client.followList({ limit: 1 });
    t.after(() => list.close());
    await list.until(({ status }) => status === 'live');
    assert.deepEqual(titles(list), ['two']);
    await list.more();
    assert.deepEqual(titles(list), ['two', 'one']);
    const [two] = list.getSnapshot().items;
    const said = { parent: one, messages: [{ role: 'user' as const, content: 'Tell me a story.' }] };
    const { nodes } = valueOf(await client.call('node.append', said));
    valueOf(await client.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo' }));
    await list.until(({ items }) => items[0]?.source?.provider === 'demo' && items[0].running.length === 0);
    assert.equal(list.getSnapshot().items[1], two, 'what did not change is the same object');
    valueOf(await client.call('root.remove', { root: one }));
    await list.until(({ items }) => items.length === 1);
    await agrees(client, list);
  });

  test(`[CL10][SV23] a list that is cut at any byte, and a server that is begun again, lose nothing, by ${transport}`, async (t) => {
    const seed = Number(process.env['LOOM_SEED'] ?? 11);
    t.diagnostic(`LOOM_SEED=${seed}`);
    const random = new Random(seed);
    const proxy = await openCuttingProxy(t);
    const store = createMemoryStore({ now: Date.now });
    const tokens = await openTestTokens();
    const names = [new URL(proxy.url).host];
    const first = await serve(t, { store, tokens, names });
    proxy.target = first.url;
    const direct = clientOf(first.url, first.token);
    for (let cut = 0; cut < 12; cut += 1) proxy.cutAfter(1 + random.below(3000));
    const list = clientOf(proxy.url, first.token, transport).followList();
    t.after(() => list.close());
    const roots: string[] = [];
    for (let count = 0; proxy.cuts < 12; count += 1) {
      const root = count < 50 ? await begin(direct, `conversation ${count}`) : roots[random.below(50)];
      roots.push(root ?? '');
      valueOf(await direct.call('root.restore', { root: root ?? '' }));
      if (count % 3 === 0) valueOf(await direct.call('root.remove', { root: root ?? '' }));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await agrees(direct, list);
    await first.stop();
    const second = await serve(t, { store, tokens, names, port: Number(new URL(first.url).port) });
    const again = clientOf(second.url, first.token);
    await begin(again, 'after the restart');
    await agrees(again, list);
    assert.equal(titles(list)[0], 'after the restart');
  });
}

test('[CL10] a list that is closed waits for nothing, and one whose token is not valid tells its owner', async (t) => {
  const { url, token } = await serve(t);
  const closed = clientOf(url, token).followList();
  const waiting = closed.until(() => false);
  closed.close();
  assert.equal((await waiting).status, 'joining');
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const out = clientOf(url, 'loom_wrong').followList({ onSignedOut: ({ status }) => resolve(status) });
  assert.equal(await promise, 401);
  out.close();
});
