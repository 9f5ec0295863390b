import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../operations/operation.ts';
import type { ProviderEvent } from '../provider.ts';
import type { FeedItem } from '../log/log-shape.ts';
import { passOn } from '../store.ts';
import { createWorld, until } from '../testing/world.ts';
import type { World } from '../testing/world.ts';

const secret = 'sk-1234-SECRETKEY';

function owner({ ids }: World): Caller {
  return { agent: 'person', type: 'person', role: 'owner', id: ids.next(), door: 'library' };
}

/** Returns true if a log says a text anywhere. */
async function says({ store }: World, root: string, text: string): Promise<boolean> {
  const { records = [] } = (await store.read(root, 0)) ?? {};
  return records.some((record) => record.text.includes(text));
}

async function textsOf(world: World): Promise<string[]> {
  return (await world.nodes()).flatMap(({ blocks }) => blocks.map((block) => ('text' in block ? block.text : '')));
}

/** A conversation with a key in its first message, which was edited once. */
async function withKey(): Promise<{ world: World; block: string }> {
  const world = await createWorld();
  await world.say(`my key is ${secret}`);
  await world.say('and now?');
  const block = `${world.root}/@person/1`;
  const operations = [{ op: 'replace' as const, start_line: 0, end_line: 1, content: 'no key' }];
  assert.ok((await world.engine.call('block.edit', owner(world), { block_id: block, operations })).ok);
  return { world, block };
}

test('[PU25] blocks are purged while their conversation is followed: followers start over, and what comes back by undo is █', async () => {
  const { world, block } = await withKey();
  const { engine, root } = world;
  const heard: FeedItem<unknown>[] = [];
  engine.forest.log(root).subscribe((item) => heard.push(item));
  const before = (await engine.forest.log(root).cursor()).epoch;
  const shown = await engine.call('block.purge', owner(world), { blocks: [block] });
  assert.ok(shown.ok);
  assert.deepEqual(
    [shown.value.purged, shown.value.texts, shown.value.messages],
    [false, [{ block, text: 'no key' }], 1],
  );
  assert.ok(await says(world, root, secret), 'nothing was changed');
  const outcome = await engine.call('block.purge', owner(world), { blocks: [block], confirmed: true });
  assert.ok(outcome.ok);
  assert.deepEqual([outcome.value.purged, outcome.value.blocks, outcome.value.texts], [true, [block], []]);
  await until(() => heard.some(({ type }) => type === 'resync'));
  const { epoch } = await engine.forest.log(root).cursor();
  assert.notEqual(epoch, before);
  assert.deepEqual(await textsOf(world), ['█'.repeat(6), 'and now?']);
  assert.equal(await says(world, root, secret), false);
  const undone = await engine.call('block.undo', owner(world), { block_id: block });
  assert.ok(undone.ok, JSON.stringify(undone));
  assert.match((await textsOf(world))[0] ?? '', /^█+$/u);
  await world.say('it goes on');
  assert.deepEqual((await textsOf(world)).slice(1), ['and now?', 'it goes on']);
  await engine.close();
});

test('[PU25] a turn that runs in the conversation stands against it, and one that runs elsewhere does not', async () => {
  const { world, block } = await withKey();
  const { engine, root } = world;
  const provider = {
    id: 'endless',
    async *stream(_request: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<ProviderEvent> {
      yield { type: 'call-start' };
      yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
      yield { type: 'block-delta', key: 'a', field: 'text', text: 'half' };
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  };
  const process = world.another({ providers: [provider] });
  const start = async (node: string): Promise<string> => {
    const begun = await process.call('turn.start', owner(world), { node, provider: 'endless', model: 'one' });
    assert.ok(begun.ok);
    return begun.value.turns[0] ?? '';
  };
  const other = await engine.forest.createRoot(owner(world), {});
  assert.ok(other.ok);
  const messages = [{ role: 'user' as const, content: 'go' }];
  const said = await engine.call('node.append', owner(world), { parent: other.value.root, messages });
  assert.ok(said.ok);
  const elsewhere = await start(said.value.nodes[0] ?? '');
  const turn = await start(`${root}/node-2`);
  await until(async () => (await world.nodes()).some(({ turn: by }) => by === turn));
  const purge = { blocks: [block], confirmed: true };
  const refused = await process.call('block.purge', owner(world), purge);
  assert.ok(!refused.ok);
  assert.partialDeepStrictEqual(refused.refusal, { reason: 'turn-live', turns: [turn], node: root, where: 'inside' });
  assert.ok(await says(world, root, secret));
  assert.ok((await process.call('turn.abort', owner(world), { root, turn })).ok);
  assert.ok((await process.call('block.purge', owner(world), purge)).ok);
  assert.equal(await says(world, root, secret), false);
  const { value: live } = await engine.forest.log(other.value.root).read(({ liveTurns }) => [...liveTurns]);
  assert.deepEqual(live, [elsewhere], 'it goes on');
  await process.close();
  await engine.close();
});

test('[PU25] what another writer says meanwhile is kept, and copies that it makes are purged too', async () => {
  const { world, block } = await withKey();
  const { root } = world;
  let isLate = true;
  const store = {
    ...passOn(world.store),
    rewrite: async (rewrites: Parameters<World['store']['rewrite']>[0]) => {
      if (isLate) {
        isLate = false;
        const fork = await world.engine.call('node.fork', owner(world), { block_id: block });
        assert.ok(fork.ok, JSON.stringify(fork));
      }
      return world.store.rewrite(rewrites);
    },
  };
  const late = world.another({ store });
  const outcome = await late.call('block.purge', owner(world), { blocks: [block], confirmed: true });
  assert.ok(outcome.ok);
  assert.equal(isLate, false);
  assert.equal(await says(world, root, secret), false);
  await late.close();
  await world.engine.close();
});

test('[PU25] only an owner of everything may purge, and only what there is', async () => {
  const { world, block } = await withKey();
  const { engine, root } = world;
  const call = async (params: object, who: Partial<Caller> = {}): Promise<string> => {
    const outcome = await engine.call('block.purge', { ...owner(world), ...who }, { confirmed: true, ...params });
    return outcome.ok ? 'done' : outcome.refusal.reason;
  };
  assert.equal(await call({ blocks: [block] }, { role: 'writer' }), 'not-permitted');
  assert.equal(await call({ blocks: [block] }, { roots: [root] }), 'not-permitted');
  assert.equal(await call({ blocks: [block] }, { door: 'mcp' }), 'not-permitted');
  assert.equal(await call({ blocks: [`${root}/@person/99`] }), 'block-not-found');
  assert.equal(await call({ roots: ['root-none'] }), 'root-not-found');
  assert.equal(await call({}), 'invalid-params');
  assert.ok(await says(world, root, secret));
  assert.equal(await call({ roots: [root] }), 'done');
  assert.equal(await says(world, root, 'and now?'), false);
  await engine.close();
});

test('[PU14] lists call a conversation by its mark: a text of bars that a person wrote is called by its bars', async () => {
  const world = await createWorld();
  await world.say('████');
  const { engine, root } = world;
  const opening = async (): Promise<string | undefined> => {
    const outcome = await engine.call('root.list', owner(world), {});
    return outcome.ok ? outcome.value.items.find(({ id }) => id === root)?.opening : assert.fail();
  };
  assert.equal(await opening(), '████');
  const blocks = [`${root}/@person/1`];
  assert.ok((await engine.call('block.purge', owner(world), { blocks, confirmed: true })).ok);
  assert.equal(await opening(), 'Removed for good');
  await engine.close();
});
