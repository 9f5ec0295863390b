import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interruptedText } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';

const bash = { name: 'Bash', description: 'Runs a command.', parameters: { type: 'object' } };

function callerOf(world: World): Caller {
  return { agent: 'program', type: 'person', role: 'owner', door: 'http', id: world.ids.next() };
}

/** Starts a turn whose calls are left to the caller. */
async function start(world: World, node: string, more: Record<string, unknown> = {}): Promise<string> {
  const params = { node, provider: 'scripted', model: 'one', leaves_calls: true, caller_tools: [bash], ...more };
  const outcome = await world.engine.call('turn.start', callerOf(world), params);
  return outcome.ok ? (outcome.value.turns[0] ?? '') : assert.fail(JSON.stringify(outcome.refusal));
}

async function append(world: World, parent: string, messages: readonly Message[]): Promise<string> {
  const outcome = await world.engine.call('node.append', callerOf(world), { parent, messages: [...messages] });
  return outcome.ok ? (outcome.value.nodes.at(-1) ?? '') : assert.fail(JSON.stringify(outcome.refusal));
}

function result(id: string, text: string): Message {
  return { role: 'tool', tool_call_id: id, content: [{ type: 'text', text }] };
}

async function shape(world: World): Promise<string[]> {
  return (await world.nodes()).map(({ role, tool, blocks }) =>
    [role, tool, ...blocks.map((block) => (block.type === 'text' ? block.text : block.type))]
      .filter((word) => word !== undefined)
      .join(' '),
  );
}

function wordsOf(messages: readonly Message[] | undefined): string[] {
  return (messages ?? []).map(({ role, content }) =>
    [role, ...content.map((block) => (block.type === 'text' ? block.text : block.type))].join(' '),
  );
}

test('[TU60] calls that are left to the caller stay open when their turn ends, until the caller appends the results', async () => {
  const world = await createWorld(
    [call(['1', 'Bash', '{"a": 1}'], ['2', 'Bash', '{'], ['3', 'echo', '{}']), say('so')],
    [echoTool('echo')],
  );
  const turn = await start(world, await world.say('go'), { tools: ['echo'] });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual(await shape(world), ['user go', 'assistant thinking tool-use tool-use tool-use']);
  assert.deepEqual([world.ran, world.provider.requests.length], [[], 1]);
  assert.deepEqual(
    world.provider.requests[0]?.tools.map(({ name, description }) => [name, description]),
    [
      ['Bash', 'Runs a command.'],
      ['echo', 'echoes (run)'],
    ],
  );
  const [, answer] = await world.nodes();
  const last = await append(world, answer?.id ?? '', [result('2', 'two'), result('1', 'one'), result('3', 'three')]);
  assert.equal(await world.engine.turns.wait(await start(world, last)), 'done');
  assert.deepEqual((await shape(world)).slice(2), ['tool two', 'tool one', 'tool three', 'assistant so']);
  assert.deepEqual(wordsOf(world.provider.requests[1]?.messages).slice(2), ['tool one', 'tool two', 'tool three']);
});

test('[TU60] a call is answered as interrupted in requests where something else was said before its result came', async () => {
  const world = await createWorld([call(['1', 'Bash', '{}'], ['2', 'Bash', '{}']), say('well')]);
  await world.engine.turns.wait(await start(world, await world.say('go')));
  const [, answer] = await world.nodes();
  const node = await append(world, answer?.id ?? '', [
    result('2', 'two'),
    { role: 'user', content: [{ type: 'text', text: 'never mind' }] },
  ]);
  await world.engine.turns.wait(await start(world, node));
  assert.deepEqual(wordsOf(world.provider.requests[1]?.messages).slice(2), [
    `tool ${interruptedText}`,
    'tool two',
    'user never mind',
  ]);
  assert.equal((await world.nodes()).length, 5);
});

test('[TU60] stopping and recovery leave such calls alone, and close what was not complete', async () => {
  async function* halting(_request: ProviderRequest, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield* call(['1', 'Bash', '{}']).slice(0, -2);
    const block = { type: 'tool-use' as const, id: '2', name: 'Bash', parameters: {} };
    yield { type: 'block-start', key: '2', message: 'm', role: 'assistant', block };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const world = await createWorld([halting, halting], [], 1);
  const blocksBelow = async (parent: string) => {
    const state = await world.state();
    const answers = [...state.nodes.values()].filter((node) => node.parent === parent);
    return answers.flatMap((node) => [node.role, ...node.blocks.map(({ type, status }) => `${type} ${status}`)]);
  };
  const left = ['assistant', 'thinking done', 'tool-use done', 'tool-use error'];
  const begin = async (text: string): Promise<{ asked: string; turn: string }> => {
    const asked = await world.say(text, world.root);
    const turn = await start(world, asked);
    await until(async () => (await blocksBelow(asked)).includes('tool-use running'));
    return { asked, turn };
  };
  const stopped = await begin('one');
  const params = { root: world.root, turn: stopped.turn };
  assert.ok((await world.engine.call('turn.abort', callerOf(world), params)).ok);
  assert.deepEqual(await blocksBelow(stopped.asked), left);
  const crashed = await begin('two');
  const heir = world.another({ exclusive: true });
  await heir.recover(world.root);
  const state = await heir.forest.log(world.root).state();
  assert.equal(state.turns.get(crashed.turn)?.ended?.reason, 'interrupted');
  assert.deepEqual(await blocksBelow(crashed.asked), left);
});

test('[TU60] what waited for such a turn is answered by one that leaves its calls too, with the same tools', async () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    await promise;
    yield* say('first').slice(1);
  }
  const world = await createWorld([slow, call(['1', 'Bash', '{}'])]);
  const turn = await start(world, await world.say('go'));
  const queued = { root: world.root, turn, content: 'and then?' };
  assert.ok((await world.engine.call('turn.queue', callerOf(world), queued)).ok);
  goOn();
  await world.engine.turns.idle();
  assert.deepEqual((await shape(world)).slice(1), ['assistant first', 'user and then?', 'assistant thinking tool-use']);
  assert.deepEqual(world.provider.requests[1]?.tools, [bash]);
});

test('[TU60] calls that the provider runs itself are over with its turn all the same', async () => {
  const own: ProviderEvent = {
    type: 'block',
    message: 'm',
    role: 'assistant',
    block: { type: 'tool-use', id: 'own', name: 'search', parameters: {}, executed: 'provider' },
  };
  const events = call(['1', 'Bash', '{}']);
  const world = await createWorld([[...events.slice(0, -2), own, ...events.slice(-2)]]);
  assert.equal(await world.engine.turns.wait(await start(world, await world.say('go'))), 'done');
  const answers = (await world.nodes()).filter(({ role }) => role === 'tool');
  assert.deepEqual(
    answers.map(({ tool, tool_call_id: id }) => [tool, id]),
    [['interrupted', 'own']],
  );
});

test('[TU60] tools of the caller are refused where Loom would run the calls, and those of the conversation are not offered where it would not', async () => {
  const world = await createWorld([], [echoTool('echo')]);
  const node = await world.say('go');
  const params = { node, provider: 'scripted', model: 'one', caller_tools: [bash] };
  const outcome = await world.engine.call('turn.start', callerOf(world), params);
  assert.partialDeepStrictEqual(outcome, {
    ok: false,
    refusal: { reason: 'invalid-params', problems: [{ path: ['caller_tools'] }] },
  });
  const configured = await world.engine.call('root.configure', callerOf(world), {
    root: world.root,
    config: { tools: ['echo'] },
  });
  assert.ok(configured.ok);
  await world.engine.turns.wait(await start(world, node, { caller_tools: [] }));
  assert.deepEqual(world.provider.requests[0]?.tools, []);
});
