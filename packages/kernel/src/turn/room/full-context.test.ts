import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { seedOfRun } from '@loom/blocks/testing/corpus';
import type { Message, ModelCaps, PlainObject } from '@loom/blocks';
import type { ProviderEvent, ProviderRequest } from '../../provider.ts';
import { Random } from '../../testing/random.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';

/** Random windows, models and histories; the deep run tries more. */
const tries = Number(process.env['LOOM_FULL_CONTEXTS'] ?? 500);

test('[TU51] no request leaves without room for its answer, and a summary that did not finish changes nothing', async (t) => {
  const seed = seedOfRun();
  let [requests, summaries, unfinished, tried] = [0, 0, 0, 0];
  for (const round of rounds((done) => done >= tries)) {
    tried = round;
    const random = new Random(seed + round);
    const { world, caps, asked, ended, endings } = await fillContext(random);
    const problems = world.provider.requests.flatMap((request) => lackOfRoom(request, caps, asked));
    assert.deepEqual(problems, [], `seed ${seed + round}`);
    assert.deepEqual(wrongSummary(await world.nodes(), endings, ended), [], `seed ${seed + round}`);
    requests += world.provider.requests.length;
    summaries += endings.filter((ending) => ending === 'stop').length;
    unfinished += endings.filter((ending) => ending !== 'stop').length;
  }
  tellTried(t, tried, `contexts: ${requests} requests, ${summaries} summaries, ${unfinished} that did not finish`);
  assert.ok(
    tried < 500 || (requests > 500 && summaries > 30 && unfinished > 10),
    `${requests} ${summaries} ${unfinished}`,
  );
});

test('[TU51] the contexts find a planted fault: requests are clamped to what is left', async () => {
  let found = 0;
  for (let seed = 0; seed < 60; seed += 1) {
    const { world, caps, asked } = await fillContext(new Random(seed), { on_no_room: 'clamp' });
    found += world.provider.requests.flatMap((request) => lackOfRoom(request, caps, asked)).length;
  }
  assert.ok(found > 0);
});

test('[TU51] the contexts find a planted fault: a summary that did not finish is taken for one that did', async () => {
  let found = 0;
  for (let seed = 0; seed < 60; seed += 1) {
    const { world, endings, ended } = await fillContext(new Random(seed), {}, () => 'stop');
    found += wrongSummary(await world.nodes(), endings, ended).length;
  }
  assert.ok(found > 0);
});

test('[TU51] a conversation goes on through ten windows, and each summary is made before the window is full', async () => {
  const caps = { contextWindow: 4_000, maxOutput: 8_000 };
  const scripts = Array.from({ length: 400 }, (): Script => answer(() => 'stop'));
  const world = await worldOf(caps, scripts);
  const summaries = (): ProviderRequest[] => world.provider.requests.filter(isForSummary);
  for (let count = 0; summaries().length < 10 && count < 60; count += 1) {
    const turn = await world.answer(await world.say(`question ${count} ${'so it is. '.repeat(150)}`));
    assert.equal(await world.engine.turns.wait(turn), 'done', `question ${count}`);
    const last = world.provider.requests.at(-1);
    assert.match(JSON.stringify(last?.messages.at(-1)), new RegExp(`question ${count} `, 'u'), 'its words are shown');
  }
  assert.equal(summaries().length, 10);
  assert.deepEqual(
    world.provider.requests.flatMap((request) => lackOfRoom(request, caps, undefined)),
    [],
  );
  const used = (await world.nodes()).filter((node) => node.source.type === 'model' && node.source.usage !== undefined);
  assert.equal(used.length, world.provider.requests.length, 'what summaries use is counted like every call');
});

test('[TU54] the error of a turn says why the automatic summary failed, and what to do', async () => {
  for (const [ending, why] of [
    ['length', 'the model reached its longest answer before the summary was complete.'],
    ['error', 'later'],
  ] as const) {
    const scripts = Array.from({ length: 3 }, () => answer(() => ending));
    const world = await worldOf({ contextWindow: 4_000, maxOutput: 8_000 }, scripts);
    const turn = await world.answer(await world.say('word '.repeat(2_000)));
    assert.equal(await world.engine.turns.wait(turn), 'no-room');
    const error = (await world.nodes()).at(-1)?.blocks.find((block) => block.type === 'error');
    const { message } = error ?? assert.fail('the turn has no error');
    assert.match(message, /^The conversation takes about \d+ of the 4000 tokens/u);
    assert.ok(message.includes(`An automatic summary failed: ${why} Try again, go back`), message);
  }
});

test('[TU51] a turn that its tools fill goes on from a summary, in the same turn', async () => {
  const long = echoTool('long', 'run', async () => ({ content: [{ type: 'text', text: 'result. '.repeat(1_200) }] }));
  const scripts = [call(['1', 'long', '{}']), call(['2', 'long', '{}']), say('a summary'), say('the end')];
  const world = await worldOf({ contextWindow: 8_000, maxOutput: 4_000 }, scripts, [long]);
  const turn = await world.answer(await world.say('go'), { tools: ['long'] });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const nodes = (await world.nodes()).filter((node) => node.turn === turn);
  assert.deepEqual(
    nodes.map(({ role, context_start }) => (context_start === true ? `${role}!` : role)).join(' '),
    'assistant tool assistant tool user! assistant user assistant',
  );
  assert.deepEqual(world.provider.requests.at(-1)?.messages.length, 3);
});

test('[TU52] a model whose longest answer is not known is asked without a limit, and a turn has 200 rounds', async () => {
  const world = await worldOf({ contextWindow: 100_000 }, [say('one')]);
  const turn = await world.answer(await world.say('go'));
  await world.engine.turns.wait(turn);
  assert.equal(world.provider.requests[0]?.maxTokens, undefined);
  assert.equal((await world.state()).turns.get(turn)?.maxRounds, 200);
  const params = { node: await world.say('again'), provider: 'scripted', model: 'one', settings: { max_rounds: 3 } };
  const started = await world.engine.turns.generate({ agent: 'person', id: 'r' }, world.root, params);
  assert.ok(started.ok);
  await world.engine.turns.wait(started.value.turns[0] ?? '');
  assert.equal((await world.state()).turns.get(started.value.turns[0] ?? '')?.maxRounds, 3);
  assert.deepEqual(world.provider.requests[1]?.settings, {});
});

/** Returns the reasons that what became of the summaries of a conversation is wrong. */
function wrongSummary(
  nodes: readonly { context_start?: boolean; deleted?: boolean }[],
  endings: readonly string[],
  ended: string | undefined,
): string[] {
  const isStarted = nodes.some((node) => node.context_start === true && node.deleted !== true);
  const isSummedUp = endings.includes('stop');
  return [
    ...(isStarted === isSummedUp
      ? []
      : [`summaries end with ${endings.join()}, and the context begins anew: ${isStarted}`]),
    ...(endings.length > 0 && !isSummedUp && ended !== 'no-room' ? [`the turn ends with ${ended}`] : []),
  ];
}

interface Filled {
  world: World;
  caps: ModelCaps;
  asked: number | undefined;
  ended: string | undefined;
  /** The end reason of each summary. */
  endings: string[];
}

/** Talks until something about the window happens, or for a while. `hear` is the end of a summary as the turn hears it. */
async function fillContext(
  random: Random,
  settings: PlainObject = {},
  hear: (ending: string) => string = (ending) => ending,
): Promise<Filled> {
  const contextWindow = random.pick([3_000, 4_096, 8_192, 16_384]) ?? 8_192;
  const maxOutput = random.pick([undefined, 1_500, 4_096, 64_000]);
  const caps = maxOutput === undefined ? { contextWindow } : { contextWindow, maxOutput };
  const asked = random.chance(0.2) ? 1 + random.below(3_000) : undefined;
  const endings: string[] = [];
  const chosen = random.pick(['stop', 'stop', 'length', 'error']) ?? 'stop';
  const end = (): string => {
    endings.push(chosen);
    return hear(chosen);
  };
  const world = await worldOf(
    caps,
    Array.from({ length: 40 }, () => answer(end)),
  );
  let ended: string | undefined = 'done';
  for (let count = 0; count < 4 && ended === 'done' && endings.length === 0; count += 1) {
    const length = random.below(Math.floor(contextWindow * 1.5));
    const node = await world.say('word '.repeat(Math.ceil(length / 5)) || 'hello');
    const params = { node, provider: 'scripted', model: 'one' };
    const wishes = { ...settings, ...(asked === undefined ? {} : { max_tokens: asked }) };
    const request = { agent: 'person', id: `ask-${count}` };
    const started = await world.engine.turns.generate(request, world.root, { ...params, settings: wishes });
    assert.ok(started.ok);
    ended = await world.engine.turns.wait(started.value.turns[0] ?? '');
  }
  return { world, caps, asked, ended, endings };
}

/** Returns the reasons that a request leaves no room, worked out from the request alone. */
function lackOfRoom(
  { messages, systemPrompt = '', tools, maxTokens }: ProviderRequest,
  caps: ModelCaps,
  asked: number | undefined,
): string[] {
  const { contextWindow = Infinity, maxOutput = Infinity } = caps;
  const characters = messages.reduce((sum, message) => sum + textOf(message).length, systemPrompt.length);
  const input = Math.ceil(Number(((characters + JSON.stringify(tools).length) * 0.3).toFixed(6)));
  const left = contextWindow - input;
  const owed = Math.min(1_024, asked ?? Infinity, contextWindow / 2, maxOutput);
  const granted = maxTokens ?? left;
  return [
    ...(granted < Math.floor(owed) ? [`${granted} tokens are granted where ${owed} are owed`] : []),
    ...(granted > left ? [`${granted} tokens are granted where ${left} are left`] : []),
  ];
}

function textOf({ content }: Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('');
}

function isForSummary({ messages }: ProviderRequest): boolean {
  return textOf(messages.at(-1) ?? { role: 'user', content: [{ type: 'text', text: '' }] }).includes(
    'Sum up our conversation so far',
  );
}

/** Answers a question shortly, and sums up when asked to. */
function answer(endOfSummary: () => string): Script {
  return async function* speak(request) {
    const events = say('It is so.').filter(({ type }) => type !== 'usage');
    if (!isForSummary(request)) {
      yield* withUsage(events);
      return;
    }
    const end = endOfSummary();
    const failed: ProviderEvent = { type: 'call-error', error: { code: 'overloaded', message: 'later' } };
    const ended: ProviderEvent = { type: 'call-end', reason: end === 'length' ? 'length' : 'stop' };
    yield* withUsage([
      ...say('They talked.')
        .filter(({ type }) => type !== 'usage')
        .slice(0, -1),
      end === 'error' ? failed : ended,
    ]);
  };
}

/** Usage that is too far off to correct estimates with. */
function withUsage(events: ProviderEvent[]): ProviderEvent[] {
  return [...events.slice(0, -1), { type: 'usage', usage: { input_tokens: 1, output_tokens: 1 } }, ...events.slice(-1)];
}

/** A world whose catalogue knows this of every model. */
function worldOf(caps: ModelCaps, scripts: Script[], tools: Parameters<typeof createWorld>[1] = []): Promise<World> {
  return createWorld(scripts, tools, Infinity, caps);
}
