import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import type { Outcome } from '@loom/kernel';
import { modelWords } from '../operations/model-words.ts';
import { say } from '../testing/scripted-provider.ts';
import { countingIds, createWorld, until } from '../testing/world.ts';
import type { World } from '../testing/world.ts';

/** A value that the types would not let in, as callers without types bring it. */
function untyped(value: unknown): never {
  if (fitsEverywhere(value)) return value;
  throw new Error('it always fits');
}

function fitsEverywhere(_value: unknown): _value is never {
  return true;
}

type Attempt = (world: World, node: string, turn: string) => Promise<Outcome<unknown>>;

const by = (world: World) => ({ agent: 'person', id: world.ids.next() });
const generate =
  (params: object): Attempt =>
  (world, node) =>
    world.engine.turns.generate(
      by(world),
      world.root,
      untyped({ node, provider: 'scripted', model: 'one', ...params }),
    );
const append =
  (...content: unknown[]): Attempt =>
  (world, node) =>
    world.engine.forest.append(by(world), world.root, untyped({ parent: node, messages: [{ role: 'user', content }] }));
const callTool =
  (call: object): Attempt =>
  (world, node) => {
    const message = { role: 'assistant', content: [{ type: 'tool-use', id: '1', name: 'x', parameters: {}, ...call }] };
    return world.engine.forest.append(by(world), world.root, untyped({ parent: node, messages: [message] }));
  };
const mark =
  (params: object): Attempt =>
  (world, node) =>
    world.engine.forest.markNode(by(world), world.root, untyped({ node, ...params }));

const attempts: Record<string, Attempt> = {
  'no rounds': generate({ maxRounds: 0 }),
  'half a round': generate({ maxRounds: 1.5 }),
  'endless rounds': generate({ maxRounds: Infinity }),
  'settings with NaN': generate({ settings: { temperature: Number.NaN } }),
  'a model without a name': generate({ model: '' }),
  'a steering message without blocks': (world, _node, turn) =>
    world.engine.turns.steer(by(world), world.root, turn, []),
  'a queued message of blanks': (world, _node, turn) =>
    world.engine.turns.queue(by(world), world.root, turn, [{ type: 'text', text: ' \n' }]),
  'a call by a person': append({ type: 'tool-use', id: '1', name: 'x', parameters: {} }),
  'an image of no media type': append({ type: 'image', media_type: 'png', url: 'x' }),
  'a raw block without a value': append({ type: 'raw', source: 'x', value: undefined }),
  'an unknown type of block': append({ type: 'hologram', text: 'x' }),
  'an unknown key of a block': append({ type: 'text', text: 'x', colour: 'red' }),
  'a text that is a number': append({ type: 'text', text: 5 }),
  'a call with a blank id': callTool({ id: ' ' }),
  'a call without a name': callTool({ name: '' }),
  'parameters that JSON cannot hold': callTool({ parameters: { when: new Date(0) } }),
  'a title that is a number': mark({ title: 5 }),
  'tags that are no list': mark({ tags: 'red' }),
  'data with NaN': mark({ custom_data: { a: [Number.NaN] } }),
  'an unknown key of an operation': mark({ colour: 'red' }),
  'a bookmark without a title': (world, node) =>
    world.engine.forest.bookmark(by(world), world.root, untyped({ node, title: undefined })),
  'a request id that is a number': (world, node) =>
    world.engine.forest.bookmark(untyped({ agent: 'person', id: 5 }), world.root, { node, title: 'x' }),
  'an agent with a space': (world, node) =>
    world.engine.forest.bookmark({ agent: 'a person', id: 'x' }, world.root, { node, title: 'x' }),
  'a prompt that is a list': (world) => world.engine.forest.createRoot(by(world), untyped({ systemPrompt: ['x'] })),
};

for (const [name, attempt] of Object.entries(attempts)) {
  test(`[LO21] refused, and the conversation opens: ${name}`, async () => {
    const never = new Promise<void>(() => {});
    const world = await createWorld([
      async function* pause() {
        yield* say('a').slice(0, 2);
        await never;
      },
    ]);
    const node = await world.say('hello');
    const beside = await world.say('beside', world.root);
    const turn = await world.answer(beside);
    await until(async () => (await world.nodes()).length === 3);
    const roots = await world.engine.forest.roots();
    const before = (await world.state()).seq;
    const outcome = await attempt(world, node, turn);
    assert.ok(!outcome.ok);
    assert.match(outcome.refusal.reason, /^(invalid-params|empty-message)$/);
    assert.doesNotMatch(modelWords(outcome.refusal), /Invalid|expected|received|undefined/);
    assert.equal((await world.state()).seq, before);
    const again = new Forest({ store: world.store.share(), clock: world.clock, ids: countingIds() });
    assert.equal((await again.log(world.root).state()).seq, before);
    assert.deepEqual(await again.roots(), roots);
  });
}

test('[LO22] lone surrogates and NUL are replaced at once, and what a caller keeps is not shared', async () => {
  const world = await createWorld();
  const data = { list: ['x'] };
  const message: Message = { role: 'user', content: [{ type: 'text', text: 'a\ud800b\u0000', metadata: data }] };
  const { forest } = world.engine;
  const added = await forest.append(by(world), world.root, { parent: world.root, messages: [message] });
  assert.ok(added.ok);
  const [node = ''] = added.value.nodes;
  assert.ok((await forest.markNode(by(world), world.root, { node, title: '\udc00', custom_data: data })).ok);
  data.list.push('later');
  const live = await world.state();
  const again = await new Forest({ store: world.store.share(), clock: world.clock, ids: countingIds() })
    .log(world.root)
    .state();
  assert.deepEqual(live.nodes.get(node), again.nodes.get(node));
  const { blocks, title, custom_data } = live.nodes.get(node) ?? assert.fail();
  assert.equal(blocks[0]?.type === 'text' && blocks[0].text, 'a\uFFFDb\uFFFD');
  assert.equal(title, '\uFFFD');
  assert.deepEqual([custom_data, blocks[0]?.metadata], [{ list: ['x'] }, { list: ['x'] }]);
});

test('[LO21] a change that is refused at the door leaves the others of its batch alone', async () => {
  const world = await createWorld();
  const node = await world.say('hello');
  const { forest } = world.engine;
  const outcomes = await Promise.all(
    ['one', untyped(2), 'three'].map((title, index) =>
      forest.log(world.root).append({ agent: 'person', id: `r${index}` }, z.null(), () => ({
        ok: true,
        ops: [{ type: 'bookmark', node, title }],
        value: null,
      })),
    ),
  );
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [true, false, true],
  );
  assert.equal((await world.state()).bookmarks.get(node), 'three');
});
