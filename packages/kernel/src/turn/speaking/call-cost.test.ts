import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '../../provider.ts';
import type { Usage } from '../../node-metadata.ts';
import type { NodeState } from '../../state/node-state.ts';
import { say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, until } from '../../testing/world.ts';

const start: ProviderEvent = { type: 'call-start' };
const opened: ProviderEvent = {
  type: 'block-start',
  key: 'a',
  message: 'm',
  role: 'assistant',
  block: { type: 'text', text: '' },
};
const words: ProviderEvent = { type: 'block-delta', key: 'a', field: 'text', text: 'ten letter\n'.repeat(10) };
const failure: ProviderEvent = { type: 'call-error', error: { code: 'network', message: 'gone' } };

function reported(usage: Usage): ProviderEvent {
  return { type: 'usage', usage };
}

/** Says something and goes on until it is stopped. */
function unending(...events: ProviderEvent[]): Script {
  return async function* (_request, { signal }) {
    yield* events;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
}

async function stopped(...events: ProviderEvent[]): Promise<NodeState | undefined> {
  const world = await createWorld([unending(...events)]);
  const turn = await world.answer(await world.say('hi'));
  await until(async () => (await world.nodes()).length === 2);
  await until(async () => {
    const [, answer] = await world.nodes();
    return answer?.blocks[0]?.type === 'text' && answer.blocks[0].text !== '';
  });
  await world.engine.turns.abort({ agent: 'person', id: world.ids.next() }, world.root, turn);
  return (await world.nodes())[1];
}

function usageOf(node: NodeState | undefined): Usage | undefined {
  return node?.source.type === 'model' ? node.source.usage : undefined;
}

test('[TU40] of a call that was stopped it is kept what it had reported, and at least what it had said', async () => {
  const early = reported({ input_tokens: 500, output_tokens: 1, cached_input_tokens: 400 });
  const cost = usageOf(await stopped(start, early, opened, words));
  assert.deepEqual(cost, { input_tokens: 500, output_tokens: 33, cached_input_tokens: 400, estimated: true });
  const known = { input_tokens: 500, output_tokens: 90 };
  assert.deepEqual(usageOf(await stopped(start, opened, reported(known), words)), known);
});

test('[TU40] where nothing was reported before it was stopped the cost is estimated, and says so', async () => {
  const cost = usageOf(await stopped(start, opened, words));
  assert.ok(cost?.estimated === true && cost.output_tokens === 33 && cost.input_tokens > 0);
});

test('[TU40] what a failed call has cost is kept, with words and without any', async () => {
  const known = { input_tokens: 20, output_tokens: 50 };
  for (const events of [
    [start, opened, words, reported(known), failure],
    [start, reported(known), failure],
  ]) {
    const world = await createWorld([events]);
    assert.equal(await world.engine.turns.wait(await world.answer(await world.say('hi'))), 'error');
    const [, answer] = await world.nodes();
    assert.deepEqual(usageOf(answer), known);
    assert.ok(answer?.source.type === 'model' && answer.source.finish_reason === 'error');
  }
});

test('[TU41] thoughts that a model is not shown are noted on its answer, with what its provider left out', async () => {
  const thinking: ProviderEvent[] = [
    start,
    {
      type: 'block',
      message: 'm',
      role: 'assistant',
      block: { type: 'thinking', text: 'hm', provider: { scripted: { signature: 's' } } },
    },
    { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'well' } },
    { type: 'call-end', reason: 'stop' },
  ];
  const leftOut: ProviderEvent = { type: 'note', data: { left_out: [{ what: 'file', why: 'Too large.' }], more: 1 } };
  const world = await createWorld([thinking, [start, leftOut, ...say('two').slice(1)], say('three')]);
  await world.engine.turns.wait(await world.answer(await world.say('one')));
  const node = await world.say('two');
  const params = { node, provider: 'scripted', model: 'other' };
  const outcome = await world.engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
  assert.ok(outcome.ok);
  await world.engine.turns.wait(outcome.value.turns[0] ?? '');
  assert.deepEqual((await world.nodes()).at(-1)?.note, {
    more: 1,
    left_out: [
      { what: 'thinking', why: 'Another model wrote it.', count: 1 },
      { what: 'file', why: 'Too large.' },
    ],
  });
  await world.engine.turns.wait(await world.answer(await world.say('three')));
  assert.equal((await world.nodes()).at(-1)?.note, undefined);
});
