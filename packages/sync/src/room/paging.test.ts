import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVisible } from '@loom/kernel';
import type { NodeState } from '@loom/kernel';
import type { ClientFrame, PageLimits, Replica, ServerFrame } from '../index.ts';
import { parseClientFrame, parseServerFrame } from '../index.ts';
import { deliverAll, createPair } from '../testing/delivery.ts';
import { settle, SyncWorld } from '../testing/sync-world.ts';

const small: PageLimits = { nodes: 3, size: 100_000, outline: 4 };

/** A conversation with a trunk of messages, and a branch of them at the second one. */
async function grow(world: SyncWorld, trunk: number, branch: number): Promise<string[]> {
  await world.begin('1');
  const ids = [`${world.root}/node-1`];
  for (let count = 2; count <= trunk; count += 1) {
    await world.say(String(count), ids.at(-1) ?? '');
    ids.push(`${world.root}/node-${count}`);
  }
  let parent = ids[1] ?? '';
  for (let count = 1; count <= branch; count += 1) {
    await world.say(`b${count}`, parent);
    parent = `${world.root}/node-${trunk + count}`;
    ids.push(parent);
  }
  return ids;
}

/** A client, and what both sides have said. */
class Watched {
  readonly said: ClientFrame[] = [];
  readonly heard: ServerFrame[] = [];

  constructor(world: SyncWorld, replica: Replica) {
    const member = world.room.enter(
      {
        send: ({ text }) => {
          const frame = parseServerFrame(JSON.parse(text));
          this.heard.push(frame);
          replica.receive(JSON.parse(text));
          return true;
        },
        close: assert.fail,
      },
      { agent: 'ann', mayWrite: true },
    );
    replica.connect((text) => {
      this.said.push(parseClientFrame(JSON.parse(text)));
      void member.receive(JSON.parse(text));
    });
  }

  /** The numbers of the nodes in each frame. */
  get pages(): string[] {
    return this.heard.flatMap((frame) => {
      const nodes = frame.type === 'welcome' ? frame.snapshot?.nodes : 'nodes' in frame ? frame.nodes : undefined;
      return nodes === undefined ? [] : [`${frame.type} ${nodes.map(({ id }) => id.split('-').at(-1)).join(' ')}`];
    });
  }
}

function textOf({ blocks }: NodeState): string {
  return blocks.map((block) => ('text' in block ? block.text : '')).join();
}

test('[SY51] a snapshot begins with the end of the branch that is read; the outline of the rest follows in pages, and nodes when they are asked for', async () => {
  const world = new SyncWorld(undefined, small);
  const ids = await grow(world, 8, 2);
  const replica = world.replica('ann', { load: 'branch' });
  const watched = new Watched(world, replica);
  await settle();
  // The newest branch leaves the trunk at its second message.
  assert.deepEqual(watched.pages, ['welcome 2 9 10', 'outline 1 3 4 5', 'outline 6 7 8']);
  assert.equal(replica.leaf, ids.at(-1));
  assert.equal(replica.status, 'live');
  assert.deepEqual([...replica.outline.keys()].sort(), [...ids].sort());
  assert.equal(replica.outline.get(ids[4] ?? '')?.parent, ids[3]);
  assert.deepEqual(replica.nodes.size, 3);
  const loaded: string[] = [];
  replica.want([ids[0] ?? '', ids[3] ?? '', ids[4] ?? '', ids[5] ?? '']);
  await settle();
  for (const node of replica.nodes.values()) loaded.push(textOf(node));
  assert.deepEqual(loaded.sort(), ['1', '2', '4', '5', '6', 'b1', 'b2']);
  assert.deepEqual(
    watched.pages.slice(3),
    ['nodes 1 4 5', 'nodes 6'],
    'what does not fit into a page is asked for again',
  );
  const other = world.replica('bob', { load: 'branch', leaf: ids[7] ?? '' });
  assert.deepEqual(await pagesOf(world, other), ['welcome 6 7 8', 'outline 1 2 3 4', 'outline 5 9 10']);
  assert.equal(other.leaf, ids[7]);
});

async function pagesOf(world: SyncWorld, replica: Replica): Promise<string[]> {
  const watched = new Watched(world, replica);
  await settle();
  return watched.pages;
}

test('[SY51] a replica that wants everything asks until it has it, and shows it then; what is small comes at once', async () => {
  const world = new SyncWorld(undefined, small);
  await grow(world, 8, 2);
  const shown: number[] = [];
  const replica = world.replica('ann', {
    onChange: ({ type }) => void (type === 'snapshot' && shown.push(replica.nodes.size)),
  });
  const watched = new Watched(world, replica);
  await settle();
  assert.deepEqual([...replica.nodes.values()].length, 10);
  assert.deepEqual(shown, [10]);
  assert.ok(watched.said.filter(({ type }) => type === 'fetch').length >= 3);
  const little = new SyncWorld();
  await grow(little, 8, 2);
  assert.deepEqual(await pagesOf(little, little.replica('ann')), ['welcome 1 2 3 4 5 6 7 8 9 10']);
});

test('[SY51] what is known by its outline follows the changes; a node that is loaded later is as it is then', async () => {
  const world = new SyncWorld(undefined, small);
  const ids = await grow(world, 8, 2);
  const pair = createPair(world, 'ann', { load: 'branch' });
  pair.connect(world.room);
  await deliverAll(pair);
  const { forest } = world.engine;
  const [third = '', fourth = '', fifth = ''] = ids.slice(2);
  const edited = `${world.root}/@person/4`;
  await world.tools.splice(world.request(), { block_id: edited, offset: 0, delete_count: 0, insert: 'not ' });
  await forest.markNode(world.request(), world.root, { node: fourth, title: 'Four' });
  await forest.move(world.request(), world.root, { node: fifth, parent: third });
  await forest.remove(world.request(), world.root, { node: ids[6] ?? '', children: 'remove' });
  await deliverAll(pair);
  const { replica } = pair;
  assert.equal(replica.outline.get(fourth)?.title, 'Four');
  assert.equal(replica.outline.get(fifth)?.parent, third);
  const state = await world.state();
  assert.deepEqual([...replica.outline.keys()].sort(), ids.filter((id) => isVisible(state, id)).sort());
  replica.want(replica.outline.keys());
  await deliverAll(pair);
  const nodes = await world.visibleNodes();
  assert.deepEqual(
    nodes.map(({ id }) => replica.nodes.get(id)),
    nodes,
  );
  assert.equal(textOf(replica.nodes.get(fourth) ?? assert.fail()), 'not 4');
});

test('[SY52] a changed node is sent as what has changed, and no event holds more of an op than a reader needs', async () => {
  const world = new SyncWorld();
  const block = await world.begin('x'.repeat(5000));
  const replica = world.replica('ann');
  const watched = new Watched(world, replica);
  await settle();
  const before = replica.nodes.get(`${world.root}/node-1`);
  watched.heard.splice(0);
  const { forest } = world.engine;
  await forest.markNode(world.request(), world.root, { node: `${world.root}/node-1`, title: 'One' });
  const events = watched.heard.flatMap((frame) => (frame.type === 'change' ? frame.events : []));
  assert.deepEqual(events, [{ type: 'node-changed', node: `${world.root}/node-1`, set: { title: 'One' } }]);
  assert.equal(replica.nodes.get(`${world.root}/node-1`)?.title, 'One');
  assert.equal(replica.block(block), before?.blocks[0], 'its block is the same object');
  await forest.markNode(world.request(), world.root, { node: `${world.root}/node-1`, title: null });
  assert.deepEqual({ ...replica.nodes.get(`${world.root}/node-1`), touched: 0 }, { ...before, touched: 0 });
  watched.heard.splice(0);
  await world.engine.turns.generate(world.request(), world.root, {
    node: `${world.root}/node-1`,
    provider: 'prompted',
    model: 'm',
    settings: { temperature: 0.5 },
  });
  const [started] = watched.heard.flatMap((frame) => (frame.type === 'change' ? frame.events : []));
  assert.deepEqual(Object.keys(started ?? {}).sort(), ['answer', 'model', 'node', 'provider', 'turn', 'type']);
});

test('[SY53] what did not change is the same object after another snapshot, and is not loaded again', async () => {
  const world = new SyncWorld(undefined, small);
  const ids = await grow(world, 8, 2);
  const pair = createPair(world, 'ann', { load: 'branch' });
  pair.connect(world.room);
  await deliverAll(pair);
  const { replica } = pair;
  replica.want(replica.outline.keys());
  await deliverAll(pair);
  const before = new Map(replica.nodes);
  pair.cut();
  // Restoring a node makes the replica ask for a snapshot.
  await world.engine.forest.remove(world.request(), world.root, { node: ids[7] ?? '', children: 'remove' });
  await world.engine.forest.restore(world.request(), world.root, ids[7] ?? '');
  await world.tools.splice(world.request(), {
    block_id: `${world.root}/@person/4`,
    offset: 0,
    delete_count: 0,
    insert: 'x',
  });
  pair.connect(world.room);
  await deliverAll(pair);
  assert.equal(replica.status, 'live');
  const same = ids.filter((id) => replica.nodes.get(id) === before.get(id));
  assert.deepEqual(
    ids.filter((id) => !same.includes(id)),
    [ids[3], ids[7]],
  );
  assert.equal(textOf(replica.nodes.get(ids[3] ?? '') ?? assert.fail()), 'x4');
  // A node that was hidden for a while is known by its outline alone.
  assert.deepEqual([replica.nodes.has(ids[7] ?? ''), replica.outline.size], [false, ids.length]);
});

test('[SY51] a conversation of 10,000 nodes is sent in pages of which none is large, and a reader has its branch with the first', async () => {
  const world = new SyncWorld();
  await world.begin('begin');
  const text = 'a sentence of some length. '.repeat(20);
  for (let count = 0; count < 10; count += 1) {
    const messages = Array.from({ length: 1000 }, () => ({
      role: 'user' as const,
      content: [{ type: 'text' as const, text }] satisfies [object],
    }));
    const parent = (await world.visibleNodes()).at(-1)?.id ?? '';
    await world.engine.forest.append(world.request(), world.root, { parent, messages });
  }
  const replica = world.replica('ann', { load: 'branch' });
  const watched = new Watched(world, replica);
  await settle();
  assert.equal(replica.outline.size, 10_001);
  assert.ok(replica.nodes.size >= 50, `${replica.nodes.size} nodes of the branch`);
  const sizes = watched.heard.map((frame) => JSON.stringify(frame).length);
  assert.ok(Math.max(...sizes) < 250_000, `the largest frame has ${Math.max(...sizes)}`);
});
