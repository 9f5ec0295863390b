import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../operations/operation.ts';
import { say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, until } from '../../testing/world.ts';

const caller: Caller = { agent: 'person', type: 'person', role: 'writer', id: 'title', door: 'library' };
const model = { provider: 'scripted', model: 'cheap' };

async function answered(...scripts: Script[]) {
  const world = await createWorld([say('Oslo, of course.'), ...scripts]);
  await world.engine.turns.wait(await world.answer(await world.say('What is the capital of Norway?')));
  const suggest = (id = 'title') =>
    world.engine.call('root.suggest_title', { ...caller, id }, { root: world.root, ...model });
  return { ...world, suggest };
}

/** Says nothing until it is let go, or told to stop. */
function held(): { script: Script; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    release: resolve,
    async *script(_request, { signal }) {
      yield { type: 'call-start' };
      signal.addEventListener('abort', () => resolve());
      await promise;
      yield* say('Too late').slice(1);
    },
  };
}

test('[TU46] a model finds a title from the first message and its answer, and no node is written for it', async () => {
  const world = await answered(say('## "Title: The capital', ' of **Norway**."\n\nI chose it because'));
  const before = await world.nodes();
  const outcome = await world.suggest();
  assert.deepEqual(outcome.ok && outcome.value, { title: 'The capital of Norway' });
  assert.equal((await world.state()).title, 'The capital of Norway');
  assert.deepEqual(await world.nodes(), before);
  const [, request] = world.provider.requests;
  assert.deepEqual([request?.model, request?.tools], ['cheap', []]);
  const [block] = request?.messages[0]?.content ?? [];
  assert.ok(block?.type === 'text');
  assert.match(block.text, /user: What is the capital of Norway\?\n\nassistant: Oslo, of course\.$/);
  const undone = await world.engine.forest.undo({ agent: 'person', id: 'undo' }, world.root);
  assert.equal((await world.state()).title, 'The capital of Norway', JSON.stringify(undone));
});

test('[TU46] a title that a person gives while the model is looking for one stays', async () => {
  const { script, release } = held();
  const world = await answered(script);
  const suggested = world.suggest();
  await until(() => world.provider.requests.length === 2);
  await world.engine.call('root.mark', { ...caller, id: 'mark' }, { root: world.root, title: 'Mine' });
  release();
  const outcome = await suggested;
  assert.deepEqual(outcome.ok && outcome.value, { title: 'Mine' });
  assert.equal((await world.state()).title, 'Mine');
});

test('[TU46] for a conversation that has a title no model is asked, and for one without words none can be', async () => {
  const world = await answered();
  await world.engine.call('root.mark', { ...caller, id: 'mark' }, { root: world.root, title: 'Mine' });
  const titled = await world.suggest();
  assert.deepEqual(titled.ok && titled.value, { title: 'Mine' });
  assert.equal(world.provider.requests.length, 1);
  const empty = await createWorld();
  const refused = await empty.engine.call('root.suggest_title', caller, { root: empty.root, ...model });
  assert.ok(!refused.ok && refused.refusal.reason === 'nothing-to-answer');
});

test('[TU46] a model that fails or says nothing leaves no title, and the answer says why', async () => {
  const world = await answered(
    [{ type: 'call-start' }, { type: 'call-error', error: { code: 'overloaded', message: 'come back later' } }],
    () => {
      throw new Error('broken');
    },
    say(' "" '),
  );
  const { seq } = await world.state();
  for (const reason of [/^come back later$/, /scripted failed: broken/, /answered without a title/]) {
    // A new attempt: the same one again would be answered with the first failure.
    const outcome = await world.suggest(reason.source);
    assert.ok(outcome.ok && outcome.value.title === undefined);
    assert.match(outcome.value.failure ?? '', reason);
  }
  assert.equal((await world.state()).seq, seq);
});

test('[TU46] a model that takes too long, and one at work when the engine is closed, is stopped', async () => {
  const [first, second] = [held(), held()];
  const world = await answered(first.script, second.script);
  const params = { root: world.root, ...model, time_limit_ms: 2_000 };
  const slow = world.engine.call('root.suggest_title', caller, params);
  await until(() => world.provider.requests.length === 2);
  world.clock.advance(2_000);
  const late = await slow;
  assert.match((late.ok && late.value.failure) || '', /was stopped before it had a title/);
  const closing = world.suggest('closing');
  await until(() => world.provider.requests.length === 3);
  await world.engine.close();
  const stopped = await closing;
  assert.match((stopped.ok && stopped.value.failure) || '', /was stopped/);
});
