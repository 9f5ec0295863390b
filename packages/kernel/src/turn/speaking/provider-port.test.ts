import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanObject } from '@loom/blocks';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import { say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';
import { end, ownCall, play, result, start, text, wordsOf } from '../testing/played-events.ts';

test('[TU33] a call that its provider runs itself is never run by Loom; its result and its state are those that the provider tells', async () => {
  const { world, ended } = await play([
    start,
    ownCall('c'),
    { type: 'tool-state', call: 'c', state: 'running' },
    result('c', { type: 'text', text: 'found' }),
    { type: 'tool-state', call: 'c', state: 'error' },
    text('so it is', 'n'),
    end,
  ]);
  assert.equal(ended, 'done');
  const [, asked, answered, told] = await world.nodes();
  assert.deepEqual([asked?.role, answered?.role, told?.role], ['assistant', 'tool', 'assistant']);
  assert.deepEqual([answered?.tool, answered?.is_error, answered?.tool_call_id], ['error', true, 'c']);
  assert.deepEqual(wordsOf(answered?.blocks ?? []), ['found']);
  assert.ok(answered?.started_at !== undefined && answered.ended_at !== undefined);
  assert.equal(told?.parent, answered.id);
});

test('[TU34] what a provider takes back is gone from its node, and the log keeps it', async () => {
  const open = (key: string, words: string): ProviderEvent[] => [
    { type: 'block-start', key, message: 'm', role: 'assistant', block: { type: 'text', text: '' } },
    { type: 'block-delta', key, field: 'text', text: words },
  ];
  const { world, ended } = await play([
    start,
    ...open('a', 'wrong'),
    { type: 'retract', key: 'a' },
    text('right'),
    end,
  ]);
  assert.equal(ended, 'done');
  const [, answer, ...others] = await world.nodes();
  assert.deepEqual(wordsOf(answer?.blocks ?? []), ['right']);
  assert.deepEqual(others, []);
  assert.deepEqual(wordsOf([...(await world.state()).retired.values()]), ['wrong']);
  const { ended: silent } = await play([start, ...open('a', 'wrong'), { type: 'retract', key: 'a' }, end]);
  assert.equal(silent, 'error');
});

test('[TU34] what went wrong after everything was taken back can be read, and the next message does not go into a result', async () => {
  const busy: ProviderEvent = { type: 'call-error', error: { code: 'overloaded', message: 'busy' } };
  const begun: ProviderEvent = {
    type: 'block-start',
    key: 'a',
    message: 'm',
    role: 'assistant',
    block: { type: 'text', text: 'wrong' },
  };
  const takenBack: ProviderEvent = { type: 'retract', key: 'a' };
  for (const last of [busy, end]) {
    const { world, ended } = await play([start, begun, takenBack, last]);
    assert.equal(ended, 'error');
    const [, answer] = await world.nodes();
    assert.deepEqual([answer?.deleted, answer?.blocks.map(({ type }) => type)], [undefined, ['error']]);
  }
  const streamed: ProviderEvent = {
    type: 'block-start',
    key: 'r',
    message: 'r',
    role: 'tool',
    tool_call_id: 'c',
    block: { type: 'text', text: 'half' },
  };
  const { world } = await play([start, ownCall('c'), streamed, { type: 'retract', key: 'r' }, text('so', 'n'), end]);
  const [, , result, told] = await world.nodes();
  assert.deepEqual([result?.role, result?.blocks, told?.role], ['tool', [], 'assistant']);
});

test('[TU34] a node that was left empty is gone when its turn is stopped', async () => {
  async function* pausing(): AsyncGenerator<ProviderEvent> {
    yield start;
    yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: 'wrong' } };
    yield { type: 'retract', key: 'a' };
    await new Promise(() => {});
  }
  const world = await createWorld([pausing]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await world.state()).retired.size > 0);
  assert.ok((await world.engine.turns.abort({ agent: 'ann', id: 'stop' }, world.root, turn)).ok);
  assert.deepEqual(
    (await world.nodes()).map(({ role, deleted }) => [role, deleted]),
    [
      ['user', undefined],
      ['assistant', true],
    ],
  );
});

test('[PV9] what another message or the work of a call stands behind is not taken back', async () => {
  const first: ProviderEvent = {
    type: 'block-start',
    key: 'a',
    message: 'm',
    role: 'assistant',
    block: { type: 'tool-use', id: 'c', name: 'search', parameters: {}, executed: 'provider' },
  };
  const begun = [start, first, { type: 'block-end', key: 'a' }] satisfies ProviderEvent[];
  const takenBack: ProviderEvent = { type: 'retract', key: 'a' };
  const scripts: ProviderEvent[][] = [
    [...begun, text('so', 'n'), takenBack, end],
    [...begun, { type: 'tool-state', call: 'c', state: 'running' }, takenBack, end],
    [...begun, { type: 'child', child: 'k', call: 'c' }, takenBack, end],
  ];
  for (const script of scripts) {
    const { world, ended } = await play(script);
    assert.equal(ended, 'error');
    assert.ok((await world.nodes()).every(({ blocks }) => blocks.length > 0));
  }
});

/** Plays an agent that runs its tools itself; returns the nodes that are left, from the top down. */
async function playAgent(...events: ProviderEvent[]) {
  const world = await createWorld([[start, ...events, end]]);
  Object.assign(world.provider, { runsTools: true });
  const turn = await world.answer(await world.say('go'));
  const ended = await world.engine.turns.wait(turn);
  const nodes = (await world.nodes()).filter(({ deleted }) => deleted !== true);
  return { world, ended, nodes, parents: nodes.map(({ parent }) => parent) };
}

function streamed(key: string, words: string, message: string): ProviderEvent[] {
  const block = { type: 'text' as const, text: words };
  return [
    { type: 'block-start', key, message, role: 'assistant', block },
    { type: 'block-end', key },
  ];
}

test('[PV9] an agent takes back what it said before its last message: the node goes, and what stands behind it hangs in its place', async () => {
  const { ended, nodes, parents, world } = await playAgent(
    ...streamed('a', 'wrong', 'm'),
    ...streamed('b', 'kept', 'n'),
    ...streamed('c', 'wrong too', 'n'),
    ownCall('t', 'n'),
    result('t', { type: 'text', text: 'found' }),
    text('right', 'o'),
    { type: 'retract', key: 'a' },
    { type: 'retract', key: 'c' },
    { type: 'usage', usage: { input_tokens: 1, output_tokens: 2 } },
  );
  assert.equal(ended, 'done');
  assert.deepEqual(
    nodes.map(({ blocks }) => wordsOf(blocks)),
    [['go'], ['kept', 'tool-use'], ['found'], ['right']],
  );
  assert.deepEqual(parents, [world.root, ...nodes.slice(0, -1).map(({ id }) => id)]);
  assert.deepEqual(wordsOf([...(await world.state()).retired.values()]), ['wrong', 'wrong too']);
});

test('[PV9] an agent takes back its only message behind what it has heard, and what goes wrong then can be read', async () => {
  const failing: ProviderEvent = { type: 'call-error', error: { code: 'overloaded', message: 'busy' } };
  async function* hearing(_request: ProviderRequest, { steering }: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield start;
    yield* streamed('a', 'wrong', 'm');
    for await (const { id } of steering) {
      yield { type: 'heard', id };
      break;
    }
    yield { type: 'retract', key: 'a' };
    yield failing;
  }
  const world = await createWorld([hearing]);
  Object.assign(world.provider, { runsTools: true });
  const turn = await world.answer(await world.say('go'));
  const blocks = [{ type: 'text' as const, text: 'wait' }];
  assert.ok((await world.engine.turns.steer({ agent: 'ann', id: 's' }, world.root, turn, blocks)).ok);
  assert.equal(await world.engine.turns.wait(turn), 'error');
  const left = (await world.nodes()).filter(({ deleted }) => deleted !== true);
  assert.deepEqual(
    left.map(({ role, blocks: said }) => [role, ...wordsOf(said)]),
    [
      ['user', 'go'],
      ['user', 'wait'],
      ['assistant', 'error'],
    ],
  );
  assert.equal(left[1]?.parent, left[0]?.id);
});

test('[PV9] more of a result may come when an agent speaks already; it goes where the result is', async () => {
  const { ended, nodes } = await playAgent(
    ownCall('c'),
    result('c', { type: 'text', text: 'begun' }),
    text('meanwhile', 'n'),
    result('c', { type: 'text', text: 'over' }),
    text('so', 'o'),
  );
  assert.equal(ended, 'done');
  assert.deepEqual(
    nodes.map(({ blocks }) => wordsOf(blocks)),
    [['go'], ['tool-use'], ['begun', 'over'], ['meanwhile'], ['so']],
  );
  const { ended: late } = await playAgent(text('a'), text('b', 'n'), text('more of a'));
  assert.equal(late, 'error', 'messages of the model get no more blocks');
});

test('[TU33] when a call of the model ends, everything that its provider ran itself is over, and Loom runs none of it', async () => {
  const both: ProviderEvent = {
    type: 'block',
    message: 'm',
    role: 'assistant',
    block: { type: 'tool-use', id: 'd', name: 'search', parameters: {} },
  };
  const running = (id: string): ProviderEvent => ({ type: 'tool-state', call: id, state: 'running' });
  async function* asking(_request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield start;
    yield ownCall('told');
    yield running('told');
    yield result('told', { type: 'text', text: 'found' });
    yield ownCall('asked');
    void call.decide('asked', { kind: 'ask', preview: [] }).catch(() => {});
    await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
    yield ownCall('silent');
    yield both;
    yield { type: 'call-end', reason: 'tool-use' };
  }
  const world = await createWorld([asking, say('done')], [echoTool('search')]);
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  assert.deepEqual(
    (await world.nodes()).map(({ role, tool, tool_call_id: call }) => [role, tool, call]),
    [
      ['user', undefined, undefined],
      ['assistant', undefined, undefined],
      ['tool', 'result', 'told'],
      ['tool', 'interrupted', 'asked'],
      ['tool', 'interrupted', 'silent'],
      ['tool', 'result', 'd'],
      ['assistant', undefined, undefined],
    ],
  );
  assert.deepEqual(world.ran, ['search {}']);
});

test('[TU33] an id that is used again is that of another call, and an error is told with any block of a result', async () => {
  const again = ownCall('c', 'n');
  const failed: ProviderEvent = {
    type: 'block',
    message: 'r',
    role: 'tool',
    tool_call_id: 'c',
    is_error: true,
    block: { type: 'text', text: 'two' },
  };
  const running: ProviderEvent = { type: 'tool-state', call: 'c', state: 'running' };
  const one = result('c', { type: 'text', text: 'one' });
  const { world } = await play([start, ownCall('c'), one, again, running, failed, text('so', 'o'), end]);
  assert.deepEqual(
    (await world.nodes()).map(({ role, tool, blocks }) => [role, tool, ...wordsOf(blocks)]),
    [
      ['user', undefined, 'go'],
      ['assistant', undefined, 'tool-use'],
      ['tool', 'result', 'one'],
      ['assistant', undefined, 'tool-use'],
      ['tool', 'error', 'two'],
      ['assistant', undefined, 'so'],
    ],
  );
});

test('[TU36] a provider hears what people say while it speaks, and what it says then comes behind it', async () => {
  async function* listening(_request: ProviderRequest, { steering }: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield start;
    yield text('one, two');
    for await (const { id, blocks } of steering) {
      yield { type: 'heard', id };
      yield text(`you said ${wordsOf(blocks).join()}`, 'n');
      break;
    }
    yield end;
  }
  const world = await createWorld([listening]);
  const turn = await world.answer(await world.say('count'));
  const words = [{ type: 'text' as const, text: 'stop' }];
  assert.ok((await world.engine.turns.steer({ agent: 'ann', id: 'steers' }, world.root, turn, words)).ok);
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual(
    (await world.nodes()).map(({ role, blocks }) => [role, ...wordsOf(blocks)]),
    [
      ['user', 'count'],
      ['assistant', 'one, two'],
      ['user', 'stop'],
      ['assistant', 'you said stop'],
    ],
  );
  assert.equal(world.provider.requests.length, 1);
});

test('[TU37] a provider may put the question of a call that it runs itself to a person', async () => {
  async function* asking(_request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield start;
    yield ownCall('c');
    const { decision, by } = await call.decide('c', { kind: 'ask', preview: [{ type: 'text', text: 'rm -r' }] });
    yield result('c', { type: 'text', text: `${decision} by ${by}` });
    yield { type: 'tool-state', call: 'c', state: 'result' };
    yield end;
  }
  const world = await createWorld([asking]);
  const turn = await world.answer(await world.say('go'));
  const asked = async () => (await world.nodes()).find(({ ask }) => ask !== undefined);
  await until(async () => (await asked()) !== undefined);
  const node = (await asked())?.id ?? '';
  const request = { agent: 'ann', id: 'decides', type: 'person' as const };
  assert.ok((await world.engine.turns.decide(request, world.root, { node, decision: 'approved', arguments: '{}' })).ok);
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const decided = (await world.nodes()).find(({ id }) => id === node);
  assert.deepEqual(
    [decided?.tool, decided?.ask, ...wordsOf(decided?.blocks ?? [])],
    ['result', undefined, 'approved by ann'],
  );
});

test('[TU37] a question about no such call, or about one that has begun, is the provider’s mistake', async () => {
  const said: string[] = [];
  async function* asking(_request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    const ask = async (id: string): Promise<void> => {
      await call.decide(id, { kind: 'ask', preview: [] }).catch((error: unknown) => said.push(String(error)));
    };
    yield start;
    yield ownCall('c');
    await ask('nowhere');
    yield result('c', { type: 'text', text: 'found' });
    await ask('c');
    yield end;
  }
  const world = await createWorld([asking]);
  const turn = await world.answer(await world.say('go'));
  const ended = world.engine.turns.wait(turn);
  // A call may be asked about before it is read, so the question waits for a while.
  await until(async () => {
    world.clock.advance(1_000);
    return said.length === 2;
  });
  assert.equal(await ended, 'done');
  assert.equal((await world.nodes()).length, 3);
  assert.match(said.join('\n'), /nowhere, which is no complete call[^]*c, which has begun/u);
});

test('[TU38] all notes of a call together, and everything else that a provider says, have a limit', async () => {
  const note = (key: string): ProviderEvent => ({ type: 'note', data: { [key]: 'x'.repeat(40_000) } });
  const { ended } = await play([start, text('hello'), note('a'), note('b'), end]);
  assert.equal(ended, 'error');
  const reason = 'x'.repeat(64 * 1024 * 1024);
  const retrying: ProviderEvent = { type: 'retrying', attempt: 1, delay_ms: 0, reason };
  const { ended: flooded } = await play([start, retrying, text('hello'), end]);
  assert.equal(flooded, 'error');
});

test('[TU21] what is nested deeper than a log can write ends its call with an error, at every place where a provider can put it', async () => {
  const deep: unknown = JSON.parse('['.repeat(1_100) + ']'.repeat(1_100));
  const events: ProviderEvent[] = [
    { type: 'note', data: { deep } },
    { type: 'usage', usage: { input_tokens: 1, output_tokens: 1, raw: deep } },
    { type: 'block', message: 'm', role: 'assistant', block: { type: 'raw', source: 'x', value: deep } },
    {
      type: 'block',
      message: 'm',
      role: 'assistant',
      block: { type: 'tool-use', id: 'z', name: 'n', parameters: { deep } },
    },
    { type: 'call-error', error: { code: 'protocol', message: 'x', detail: deep } },
  ];
  for (const event of events) {
    const { world, ended } = await play([start, text('hello'), event, end]);
    assert.equal(ended, 'error', event.type);
    assert.equal((await world.state()).liveTurns.size, 0);
    const [, answer] = await world.nodes();
    assert.deepEqual(wordsOf(answer?.blocks ?? []), ['hello', 'error']);
  }
});

test('[TU38] what no store can hold is replaced in notes, live as after a reload; what is no object ends the call', async () => {
  const dirty = { 'a\0': ['\ud800b', { c: '\0' }], n: 1 };
  const { world } = await play([
    start,
    { type: 'note', data: dirty },
    text('hello'),
    { type: 'note', data: dirty },
    end,
  ]);
  const reloaded = await world.another().forest.log(world.root).state();
  for (const [, answer] of [await world.nodes(), [...reloaded.nodes.values()]]) {
    assert.deepEqual(answer?.note, { 'a\uFFFD': ['\uFFFDb', { c: '\uFFFD' }], n: 1 });
  }
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const { ended } = await play([start, { type: 'note', data: cyclic }, text('hello'), end]);
  assert.equal(ended, 'error');
  assert.ok(!cleanObject.safeParse(null).success);
});

test('[TU38] notes are kept on nodes and found in the trail of later calls; what a call cost is what it said last', async () => {
  const usage = (output: number): ProviderEvent => ({
    type: 'usage',
    usage: { input_tokens: 1, output_tokens: output },
  });
  const first: ProviderEvent[] = [
    start,
    { type: 'note', data: { session: 's-1' } },
    text('hello'),
    { type: 'note', data: { turns: 2 } },
    usage(1),
    usage(5),
    end,
  ];
  const { world } = await play(first, say('again'));
  const [, answer] = await world.nodes();
  assert.deepEqual(answer?.note, { session: 's-1', turns: 2 });
  assert.ok(answer.source.type === 'model' && answer.source.usage?.output_tokens === 5);
  await world.engine.turns.wait(await world.answer(await world.say('and?', answer.id)));
  const { trail } = world.provider.requests[1] ?? {};
  assert.deepEqual(trail?.at(-2), { node: answer.id, role: 'assistant', note: { session: 's-1', turns: 2 } });
});

test('[TU39] that a provider tries again is known until it speaks; an error says when to try again', async () => {
  const retrying: ProviderEvent = { type: 'retrying', attempt: 1, delay_ms: 500, reason: 'overloaded' };
  const world = await createWorld([[start, retrying, text('here I am'), end]]);
  const heard: unknown[] = [];
  world.engine.forest.log(world.root).subscribe((item) => {
    if (item.type === 'change') heard.push(...item.events.map(({ type }) => type));
  });
  const turn = await world.answer(await world.say('go'));
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.ok(heard.includes('turn-retrying'));
  assert.equal((await world.state()).turns.get(turn)?.retrying, undefined);
  const failed: ProviderEvent = {
    type: 'call-error',
    error: { code: 'rate-limit', message: 'later', retry_after_ms: 900 },
  };
  const { world: other, ended } = await play([start, failed]);
  assert.equal(ended, 'error');
  const block = (await other.nodes()).at(-1)?.blocks.find(({ type }) => type === 'error');
  assert.ok(block?.type === 'error' && block.code === 'rate-limit');
  assert.deepEqual(block.detail, { retry_after_ms: 900 });
});
