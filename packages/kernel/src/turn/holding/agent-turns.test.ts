import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoomEngine } from '../../operations/calling/engine.ts';
import type { AgentStart, Provider, ProviderCall, ProviderEvent, ProviderHost } from '../../provider.ts';
import { say } from '../../testing/scripted-provider.ts';
import { rest, VirtualClock } from '../../testing/virtual-clock.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import { wordsOf } from '../testing/played-events.ts';

/** An agent that answers with one word, and remembers the turns that it was asked in. */
class SelfStarter implements Provider {
  readonly id: string;
  readonly runsTools = true;
  readonly hosts: ProviderHost[] = [];
  readonly turns: string[] = [];
  readonly shown: string[][] = [];
  /** The words that it says before it has ended its answer. */
  answer: (call: ProviderCall) => AsyncIterable<ProviderEvent> = spoken('asked');

  constructor(id = 'agent') {
    this.id = id;
  }

  attach(host: ProviderHost): void {
    this.hosts.push(host);
  }

  begin(start: AgentStart): ReturnType<ProviderHost['begin']> {
    const [host] = this.hosts;
    assert.ok(host);
    return host.begin(start);
  }

  stream({ messages }: Parameters<Provider['stream']>[0], call: ProviderCall): AsyncIterable<ProviderEvent> {
    this.turns.push(call.turn ?? 'none');
    this.shown.push(messages.flatMap(({ content }) => wordsOf(content)).map(String));
    return this.answer(call);
  }
}

function spoken(...words: string[]): () => AsyncGenerator<ProviderEvent> {
  return async function* () {
    yield* say(...words);
  };
}

/** Says one word, and no more until it is stopped. */
async function* endless(_request: unknown, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
  yield { type: 'call-start' };
  yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
  yield { type: 'block-delta', key: 'a', field: 'text', text: 'half' };
  await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}

interface Stage {
  world: World;
  agent: SelfStarter;
  engine: LoomEngine;
  /** The turn in which it was asked. */
  asked: string;
}

/** A conversation in which an agent was asked once and has answered. */
async function createStage(agent = new SelfStarter(), clock?: VirtualClock): Promise<Stage> {
  const world = await createWorld();
  const engine = world.another({ holder: 'agents', providers: [agent], ...(clock === undefined ? {} : { clock }) });
  const asked = await ask(world, engine, agent.id);
  await engine.turns.wait(asked);
  return { world, agent, engine, asked };
}

async function ask({ say: tell, ids, root }: World, engine: LoomEngine, provider: string): Promise<string> {
  const params = { node: await tell('go'), provider, model: 'one' };
  const started = await engine.turns.generate({ agent: 'person', id: ids.next() }, root, params);
  assert.ok(started.ok);
  return started.value.turns[0] ?? '';
}

/** Every message with its words, in the order of the path. */
async function pathOf({ nodes }: World): Promise<string[]> {
  return (await nodes()).map(({ role, blocks }) => `${role}: ${wordsOf(blocks).map(String).join(' ')}`);
}

test('[TU74] an agent opens a turn below the words of the one that it was asked in', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const begun = await agent.begin({ root, after: asked, stream: spoken('un', 'asked') });
  assert.ok(begun.ok);
  assert.equal(await engine.turns.wait(begun.value.turn), 'done');
  assert.deepEqual(await pathOf(world), ['user: go', 'assistant: asked', 'assistant: unasked']);
  const [, answer, words] = await world.nodes();
  assert.equal(begun.value.node, answer?.id);
  assert.equal(words?.parent, answer?.id);
  // They are a separate message, not the rest of the one above.
  assert.equal(words?.continues, undefined);
  assert.deepEqual(await world.store.leases(''), []);
});

test('[TU74] an agent goes on in the conversation of a sub-agent that it has sent out, by its name there', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  agent.answer = async function* (): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const call = { type: 'tool-use' as const, id: 'send', name: 'Agent', parameters: {} };
    yield { type: 'block', message: 'm1', role: 'assistant', block: call };
    yield { type: 'child', child: 'c', call: 'send', prompt: 'look' };
    yield { type: 'session', source: 'program', id: 'agent:1', child: 'c' };
    yield { type: 'block', message: 'c1', role: 'assistant', child: 'c', block: { type: 'text', text: 'looking' } };
    yield { type: 'call-end', reason: 'stop' };
  };
  const sent = await ask(world, engine, agent.id);
  await engine.turns.wait(sent);
  const session = { source: 'program', id: 'agent:1' };
  const begun = await agent.begin({ root, after: sent, session, stream: spoken('found it') });
  assert.ok(begun.ok, JSON.stringify(begun));
  assert.equal(await engine.turns.wait(begun.value.turn), 'done');
  const child = begun.value.node.split('/')[0] ?? '';
  assert.notEqual(child, root);
  const state = await engine.open(child);
  assert.ok(state.ok);
  assert.deepEqual(
    [...state.value.nodes.values()].flatMap(({ blocks }) => wordsOf(blocks)),
    ['look', 'looking', 'found it'],
  );
  assert.deepEqual(
    [...state.value.turns.values()].map(({ startedBy }) => startedBy),
    [undefined, 'agent'],
  );
  const unknown = await agent.begin({
    root,
    after: asked,
    session: { ...session, id: 'agent:2' },
    stream: spoken('x'),
  });
  assert.equal(unknown.ok ? '' : unknown.refusal.reason, 'turn-not-found');
});

test('[TU74] a turn that an agent opens ends with the credential of the caller that asked it', async () => {
  const ended = new Set<string>();
  const world = await createWorld();
  const agent = new SelfStarter();
  const credentials = { isKept: async () => true, isValid: async (id: string) => !ended.has(id) };
  const engine = world.another({ holder: 'agents', providers: [agent], credentials });
  const params = { node: await world.say('go'), provider: agent.id, model: 'one' };
  const started = await engine.turns.generate(
    { agent: 'guest', id: world.ids.next(), credential: 'token' },
    world.root,
    params,
  );
  assert.ok(started.ok);
  const [asked = ''] = started.value.turns;
  await engine.turns.wait(asked);
  const first = await agent.begin({ root: world.root, after: asked, stream: spoken('more') });
  assert.ok(first.ok);
  await engine.turns.wait(first.value.turn);
  assert.equal((await world.state()).turns.get(first.value.turn)?.credential, 'token');
  ended.add('token');
  for (const after of [asked, first.value.turn]) {
    const refused = await agent.begin({ root: world.root, after, stream: spoken('never') });
    assert.equal(refused.ok || refused.refusal.reason, 'not-permitted');
  }
  assert.deepEqual(await pathOf(world), ['user: go', 'assistant: asked', 'assistant: more']);
  await engine.close();
});

test('[TU74] the message that made it begin stands before its words, and is marked as a notice', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const notice = { kind: 'task', blocks: [{ type: 'text' as const, text: 'The build has ended.' }] };
  const begun = await agent.begin({ root, after: asked, model: 'two', notice, stream: spoken('It failed.') });
  assert.ok(begun.ok);
  await engine.turns.wait(begun.value.turn);
  const [, answer, told, words] = await world.nodes();
  assert.deepEqual(
    [told?.id, told?.parent, told?.role, told?.notice],
    [begun.value.node, answer?.id, 'user', { kind: 'task' }],
  );
  assert.equal(words?.parent, told?.id);
  assert.equal((await world.state()).turns.get(begun.value.turn)?.model, 'two');
});

test('[TU74] who began a turn is known in lists, in other processes and in snapshots', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const begun = await agent.begin({ root, after: asked, stream: endless });
  assert.ok(begun.ok);
  const startersOf = async (process: LoomEngine) => {
    const caller = { agent: 'person', type: 'person', role: 'owner', door: 'library', id: world.ids.next() } as const;
    const listed = await process.call('turn.list', caller, { root });
    assert.ok(listed.ok);
    return listed.value.items.map(({ id, started_by }) => [id, started_by]);
  };
  const expected = [
    [asked, undefined],
    [begun.value.turn, 'agent'],
  ];
  assert.deepEqual(await startersOf(engine), expected);
  assert.deepEqual(await startersOf(world.another({ holder: 'reader', isOwnerless: async () => false })), expected);
  await engine.close();
  const heir = world.another({ holder: 'heir', exclusive: true, providers: [] });
  assert.deepEqual(await startersOf(heir), expected);
  const ended = (await heir.forest.log(root).state()).turns.get(begun.value.turn);
  assert.deepEqual([ended?.startedBy, ended?.ended?.reason], ['agent', 'interrupted']);
});

test('[TU74] a turn that is begun while the agent still answers waits for the end of that answer', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  agent.answer = async function* () {
    yield* say('slowly').slice(0, -1);
    await mayEnd;
    yield { type: 'call-end', reason: 'stop' };
  };
  const second = await ask(world, engine, agent.id);
  await until(() => agent.turns.length === 2);
  assert.deepEqual(agent.turns, [asked, second]);
  let isBegun = false;
  const beginning = agent.begin({ root, after: second, stream: spoken('afterwards') }).finally(() => (isBegun = true));
  await rest();
  await rest();
  assert.deepEqual([isBegun, (await world.state()).liveTurns.size], [false, 1]);
  end();
  const begun = await beginning;
  assert.ok(begun.ok);
  await engine.turns.wait(begun.value.turn);
  assert.deepEqual((await pathOf(world)).slice(-2), ['assistant: slowly', 'assistant: afterwards']);
});

test('[TU74] one that is begun while others speak below stands beside them', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  agent.answer = spoken('two');
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  agent.answer = async function* () {
    yield* say('two').slice(0, -1);
    await mayEnd;
    yield { type: 'call-end', reason: 'stop' };
  };
  const second = await ask(world, engine, agent.id);
  const begun = await agent.begin({ root, after: asked, stream: spoken('beside') });
  assert.ok(begun.ok);
  assert.equal(await engine.turns.wait(begun.value.turn), 'done');
  end();
  assert.equal(await engine.turns.wait(second), 'done');
  const state = await world.state();
  const below = state.children.get(begun.value.node)?.map((id) => wordsOf(state.nodes.get(id)?.blocks ?? []));
  assert.deepEqual(below, [['go'], ['beside']]);
});

test('[TU74] what people say to such a turn is answered by the provider itself', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const begun = await agent.begin({
    root,
    after: asked,
    async *stream() {
      yield* say('on my own').slice(0, -1);
      await mayEnd;
      yield { type: 'call-end', reason: 'stop' };
    },
  });
  assert.ok(begun.ok);
  const { turn } = begun.value;
  const steered = await engine.turns.steer({ agent: 'person', id: 'steers' }, root, turn, [
    { type: 'text', text: 'and now this' },
  ]);
  assert.ok(steered.ok);
  end();
  assert.equal(await engine.turns.wait(turn), 'done');
  assert.deepEqual(agent.turns, [asked, turn]);
  assert.deepEqual(agent.shown.at(-1), ['go', 'asked', 'on my own', 'and now this']);
  assert.equal((await pathOf(world)).at(-1), 'assistant: asked');
});

test('[TU74] the answer to a message that was queued for it has the tools of the conversation', async () => {
  const world = await createWorld([], [echoTool('echo')]);
  const agent = new SelfStarter();
  const engine = world.another({ holder: 'agents', providers: [agent] });
  const caller = { agent: 'person', type: 'person', role: 'owner', door: 'library', id: 'sets' } as const;
  assert.ok((await engine.call('root.configure', caller, { root: world.root, config: { tools: ['echo'] } })).ok);
  const asked = await ask(world, engine, agent.id);
  await engine.turns.wait(asked);
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const begun = await agent.begin({
    root: world.root,
    after: asked,
    async *stream() {
      yield* say('on my own').slice(0, -1);
      await mayEnd;
      yield { type: 'call-end', reason: 'stop' };
    },
  });
  assert.ok(begun.ok);
  const text = [{ type: 'text' as const, text: 'use it' }];
  assert.ok((await engine.turns.queue({ agent: 'person', id: 'queues' }, world.root, begun.value.turn, text)).ok);
  end();
  await engine.turns.idle();
  const { turns } = await world.state();
  assert.deepEqual(
    [...turns.values()].map(({ tools, by }) => [tools, by]),
    [
      [['echo'], 'person'],
      [[], 'agent:one'],
      [['echo'], 'loom:queue'],
    ],
  );
});

test('[TU74] a person stops it like any other turn', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const begun = await agent.begin({ root, after: asked, stream: endless });
  assert.ok(begun.ok);
  await until(async () => (await world.nodes()).length === 3);
  const stopped = await engine.turns.abort({ agent: 'person', id: 'stops' }, root, begun.value.turn);
  assert.ok(stopped.ok);
  await engine.turns.wait(begun.value.turn);
  const [block] = (await world.nodes()).at(-1)?.blocks ?? [];
  assert.deepEqual([block?.status, block?.error?.code], ['error', 'stopped']);
  assert.equal((await world.state()).turns.get(begun.value.turn)?.ended?.reason, 'aborted');
});

test('[TU74] it is interrupted by another process once its own is gone, which writes no more', async () => {
  const clock = new VirtualClock();
  const { world, agent, asked } = await createStage(new SelfStarter(), clock);
  const { root } = world;
  assert.ok((await world.engine.open(root)).ok);
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const begun = await agent.begin({
    root,
    after: asked,
    async *stream() {
      yield* say('half').slice(0, -1);
      await mayGoOn;
      yield { type: 'block', message: 'late', role: 'assistant', block: { type: 'text', text: 'late' } };
      yield { type: 'call-end', reason: 'stop' };
    },
  });
  assert.ok(begun.ok);
  await until(async () => (await world.nodes()).length === 3);
  assert.deepEqual(
    (await world.store.leases('')).map(({ holder }) => holder),
    ['agents'],
  );
  clock.stop();
  await world.clock.advanceAndRest(40_000);
  await until(async () => (await world.state()).liveTurns.size === 0);
  assert.equal((await world.state()).turns.get(begun.value.turn)?.ended?.reason, 'interrupted');
  goOn();
  await rest();
  await rest();
  assert.equal((await world.nodes()).length, 3);
});

test('[TU74] nothing begins once the engine is being closed, and who does not listen is not hurt', async () => {
  const { world, agent, engine, asked } = await createStage();
  const { root } = world;
  const length = (await world.state()).seq;
  await engine.close();
  const late = agent.begin({ root, after: asked, stream: spoken('too late') });
  await rest();
  await assert.rejects(late, { code: 'store-closed' });
  assert.equal((await world.state()).seq, length);
  assert.deepEqual(await world.store.leases(''), []);
});

test('[TU74] one that waits for a turn when the engine is closed is not begun either', async () => {
  const { world, agent, engine } = await createStage();
  agent.answer = async function* () {
    yield* say('slowly').slice(0, -1);
    await new Promise(() => {});
  };
  const second = await ask(world, engine, agent.id);
  const late = agent.begin({ root: world.root, after: second, stream: spoken('too late') });
  await rest();
  const closed = engine.close();
  await until(async () => {
    world.clock.advance(1_000);
    return Promise.race([closed.then(() => true), rest().then(() => false)]);
  });
  await assert.rejects(late, { code: 'store-closed' });
});

test('[TU74] an agent may go on with its own words alone', async () => {
  const { world, agent, engine, asked } = await createStage();
  const other = new SelfStarter('other');
  const both = world.another({ holder: 'both', providers: [agent, other] });
  await both.turns.wait(await ask(world, both, 'other'));
  const length = (await world.state()).seq;
  const start = { root: world.root, after: asked, stream: spoken('mine') };
  const reasons = [];
  for (const given of [
    start,
    { ...start, after: 'turn-none' },
    { ...start, root: 'none' },
    { ...start, notice: { kind: 'task', blocks: [] } },
  ]) {
    const refused = await other.begin(given);
    reasons.push(refused.ok ? 'begun' : refused.refusal.reason);
  }
  assert.deepEqual(reasons, ['turn-not-found', 'turn-not-found', 'root-not-found', 'invalid-params']);
  assert.equal((await world.state()).seq, length);
  assert.deepEqual(await world.store.leases(''), []);
  await engine.close();
});

test('[TU74] words that the catalogue has no room for are kept: they have been said', async () => {
  const world = await createWorld([], [], Infinity, { contextWindow: 60, maxOutput: 10 });
  const agent = new SelfStarter();
  const engine = world.another({ holder: 'agents', providers: [agent] });
  const asked = await ask(world, engine, agent.id);
  await engine.turns.wait(asked);
  const notice = { kind: 'task', blocks: [{ type: 'text' as const, text: 'word '.repeat(500) }] };
  const begun = await agent.begin({ root: world.root, after: asked, notice, stream: spoken('read it') });
  assert.ok(begun.ok);
  assert.equal(await engine.turns.wait(begun.value.turn), 'done');
  assert.equal((await pathOf(world)).at(-1), 'assistant: read it');
});

test('[TU74] a provider is attached once, before it is asked anything; one that fails at it is used all the same', async () => {
  const world = await createWorld();
  const agent = new SelfStarter();
  const failing = Object.assign(new SelfStarter('failing'), {
    attach: () => {
      throw new Error('not today');
    },
  });
  const failures: unknown[] = [];
  const engine = world.another({
    holder: 'agents',
    providers: () => [agent, failing],
    listenerFailed: (error: unknown) => failures.push(error),
  });
  assert.equal(await engine.turns.wait(await ask(world, engine, 'failing')), 'done');
  assert.equal(await engine.turns.wait(await ask(world, engine, 'agent')), 'done');
  assert.equal(agent.hosts.length, 1);
  assert.equal(failures.length, 1);
});

test('[TU153] an agent adds the files that a turn of its own has changed to the last message, for people', async () => {
  const { world, agent, asked } = await createStage();
  const { root } = world;
  const [host] = agent.hosts;
  const block = { type: 'file-change' as const, changes: [{ path: 'a.txt', kind: 'add' as const }] };
  assert.equal((await host?.changed({ root, turn: asked, block }))?.ok, true);
  const added = (await world.nodes()).at(-1)?.blocks.at(-1);
  assert.partialDeepStrictEqual(added, { ...block, ephemeral: true, status: 'done' });
  const refused = await host?.changed({ root, turn: 'another', block });
  assert.ok(refused?.ok === false && refused.refusal.reason === 'turn-not-found');
});

test('[OP322] an agent gives its conversation the mode that a person has allowed it, in a turn of its own alone', async () => {
  const { world, agent, asked } = await createStage();
  const [host] = agent.hosts;
  const { root } = world;
  const modeOf = async (): Promise<unknown> => (await world.state()).config['approval_mode'];
  assert.equal((await host?.changeMode({ root, turn: asked, mode: 'edit' }))?.ok, true);
  assert.equal(await modeOf(), 'edit');
  const refused = await host?.changeMode({ root, turn: 'another', mode: 'sandbox' });
  assert.equal(refused?.ok === false ? refused.refusal.reason : '', 'turn-not-found');
  assert.equal(await modeOf(), 'edit');
});
