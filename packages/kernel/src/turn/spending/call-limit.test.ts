import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../operations/operation.ts';
import type { Provider, ProviderCall, ProviderEvent, ProviderHost } from '../../provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { pathTo } from '../../state/tree/tree.ts';
import { createWorld, until } from '../../testing/world.ts';
import type { SpendingLimits } from './spending-limits.ts';

const usage = (cost: number | undefined): ProviderEvent => ({
  type: 'usage',
  usage: { input_tokens: 10, output_tokens: 1, ...(cost === undefined ? {} : { cost_usd: cost }) },
});
const text = (message: string, words: string): ProviderEvent => ({
  type: 'block',
  message,
  role: 'assistant',
  block: { type: 'text', text: words },
});

/** An agent that works in steps until it is told to stop, and reports after each of them what it has cost so far. */
function stepsOf(costs: readonly (number | undefined)[], told: string[] = []): Provider['stream'] {
  return async function* work(_request: unknown, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    for (const [index, cost] of costs.entries()) {
      if (signal.aborted) {
        told.push('stopped');
        yield { type: 'call-error', error: { code: 'stopped', message: 'told to stop' } };
        return;
      }
      const id = `run-${index}`;
      yield text(`m${index}`, `step ${index}`);
      yield {
        type: 'block',
        message: `m${index}`,
        role: 'assistant',
        block: { type: 'tool-use', id, name: 'Bash', parameters: {} },
      };
      yield usage(cost);
      yield { type: 'tool-state', call: id, state: 'running' };
      yield {
        type: 'block',
        message: `r${index}`,
        role: 'tool',
        tool_call_id: id,
        block: { type: 'text', text: 'ok' },
      };
      yield { type: 'tool-state', call: id, state: 'result' };
    }
    yield text('last', 'done');
    yield { type: 'call-end', reason: 'stop' };
  };
}

async function agent(scripts: Script[], limits: SpendingLimits, attach?: (host: ProviderHost) => void) {
  const world = await createWorld(scripts);
  Object.assign(world.provider, { runsTools: true, attach });
  const engine = world.another({ spendingLimits: async () => limits, exclusive: true });
  const person = (): Caller => ({ agent: 'ann', type: 'person', role: 'owner', door: 'library', id: world.ids.next() });
  const start = async (words: string): Promise<string> => {
    const params = { node: await world.say(words), provider: 'scripted', model: 'one' };
    const started = await engine.call('turn.start', person(), params);
    assert.ok(started.ok);
    return started.value.turns[0] ?? '';
  };
  const state = () => engine.forest.log(world.root).state();
  const waiting = async () => {
    const listed = await engine.call('turn.waiting', person(), {});
    return listed.ok ? listed.value.items : [];
  };
  const said = async (): Promise<string[]> =>
    pathTo(await state(), [...(await state()).nodes.keys()].at(-1) ?? '').map(
      ({ role, tool, blocks }) =>
        `${role}${tool === undefined ? '' : ` ${tool}`}: ${blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join(', ')}`,
    );
  return { world, engine, person, start, state, waiting, said };
}

test('[AG41] an agent is stopped in the middle of its turn once it has spent the limit, and a person lets it go on', async () => {
  const told: string[] = [];
  const scripts = [stepsOf([0.4, 0.8, 1.2, 1.6, 2], told), stepsOf([0.1])];
  const { world, engine, person, start, state, waiting, said } = await agent(scripts, { turn: 1 });
  const turn = await start('go');
  assert.equal(await engine.turns.wait(turn), 'limit');
  assert.deepEqual(told, ['stopped'], 'it was told to stop, once');
  assert.deepEqual((await said()).slice(1), [
    'assistant: step 0, tool-use',
    'tool result: ok',
    'assistant: step 1, tool-use',
    'tool result: ok',
    'assistant: step 2, tool-use',
    'tool interrupted: The tool call was interrupted before it returned a result.',
    'assistant: error',
  ]);
  const nodes = [...(await state()).nodes.values()];
  const costs = nodes.flatMap(({ source }) => (source.type === 'model' ? (source.usage?.cost_usd ?? []) : []));
  assert.deepEqual(costs, [1.2], 'what it has cost is kept');
  const [asked, ...others] = await waiting();
  assert.deepEqual([asked?.node, others], [nodes.at(-1)?.id, []]);
  assert.match(JSON.stringify(asked?.ask), /This turn has cost \$1\.20, and the limit of a turn is \$1\.00/u);
  const params = { node: asked?.node ?? '', decision: 'approved' as const, arguments: asked?.arguments ?? '' };
  const decided = await engine.call('turn.decide', person(), params);
  assert.ok(decided.ok);
  assert.equal(await engine.turns.wait(decided.value.turn), 'done');
  assert.equal(world.provider.requests.length, 2);
  assert.deepEqual(await waiting(), []);
  await engine.close();
});

test('[AG41] a question that an agent asks when the limit is reached is no longer one, and an agent that does not stop is left behind', async () => {
  let asked: Promise<unknown> | undefined;
  const script: Script = async function* deaf(_request, provided) {
    yield { type: 'call-start' };
    yield {
      type: 'block',
      message: 'm',
      role: 'assistant',
      block: { type: 'tool-use', id: 'c', name: 'Bash', parameters: {} },
    };
    asked = provided.decide('c', { kind: 'ask', preview: [] }).catch((error: unknown) => String(error));
    yield usage(5);
    await new Promise(() => {});
  };
  const { world, engine, start, waiting } = await agent([script], { turn: 1 });
  const turn = await start('go');
  const ended = engine.turns.wait(turn);
  await until(async () => asked !== undefined);
  for (let beat = 0; beat < 20; beat += 1) await world.clock.advanceAndRest(100);
  assert.equal(await ended, 'limit');
  assert.match(String(await asked), /stopped/u);
  assert.deepEqual(
    (await waiting()).map(({ tool }) => tool),
    ['spending-limit'],
  );
  await engine.close();
});

test('[AG41] the limit of a day counts what an agent spends while it works, and an unknown cost is a question, not zero', async () => {
  const day = await agent([stepsOf([0.4, undefined]), stepsOf([0.7, 1.1, 1.3])], { day: 1.5 });
  assert.equal(await day.engine.turns.wait(await day.start('one')), 'limit');
  assert.match(JSON.stringify(await day.waiting()), /the cost of scripted\/one is unknown/u);
  const free = await agent([stepsOf([0.7]), stepsOf([0.7, 0.9, 1.3])], { day: 1.5 });
  assert.equal(await free.engine.turns.wait(await free.start('one')), 'done');
  assert.equal(await free.engine.turns.wait(await free.start('two')), 'limit');
  assert.match(JSON.stringify(await free.waiting()), /Today’s calls have cost \$1\.60/u);
});

test('[AG42] a turn that an agent begins itself is judged as soon as it speaks', async () => {
  const hosts: ProviderHost[] = [];
  const { world, engine, start, waiting } = await agent([stepsOf([0.9])], { day: 1 }, (host) => hosts.push(host));
  const after = await start('go');
  assert.equal(await engine.turns.wait(after), 'done');
  const told: string[] = [];
  const begin = async (cost: number): Promise<string> => {
    const begun = await hosts.at(-1)?.begin({
      root: world.root,
      after,
      notice: { kind: 'task-notification', blocks: [{ type: 'text', text: 'a command ended' }] },
      stream: stepsOf([cost, cost + 0.1], told),
    });
    assert.ok(begun?.ok);
    return begun.value.turn;
  };
  assert.equal(await engine.turns.wait(await begin(0.2)), 'limit');
  assert.deepEqual(told, ['stopped'], 'once it reports more than is left of the day');
  assert.equal((await waiting()).length, 1);
  assert.equal(await engine.turns.wait(await begin(0)), 'limit');
  assert.deepEqual(told, ['stopped', 'stopped'], 'and at its first word, once nothing is left');
  await engine.close();
});
