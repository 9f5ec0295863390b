import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, PlainObject } from '@loom/blocks';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import type { Outcome } from '../../refusal.ts';
import { say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';
import { titleReport } from './title-run.ts';
import type { TitleReport } from './title-run.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'ann', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

const cheap = { provider: 'scripted', model: 'cheap' };

async function begin(engine: LoomEngine, said: string, config: PlainObject = {}): Promise<string> {
  const { root } = value(await engine.forest.createRoot(by(), config));
  const message: Message = { role: 'user', content: [{ type: 'text', text: said }] };
  value(await engine.forest.append(by(), root, { parent: root, messages: [message] }));
  return root;
}

/** A process whose settings name a model with a price: 1 and 5 dollars per million tokens. */
async function titling(...scripts: Script[]): Promise<World & { titles: (params?: object) => Promise<TitleReport> }> {
  const world = await createWorld(scripts);
  const engine = world.another({
    titleModels: { usual: async () => cheap, afterAnswer: async () => undefined },
    catalogue: {
      capsOf: () => undefined,
      pricing: () => (call) => (call.input_tokens + 5 * call.output_tokens) / 1_000_000,
    },
  });
  const titles = async (params: object = {}): Promise<TitleReport> => {
    const { job = '' } = value(await engine.call('root.suggest_titles', by(), params));
    return reportOf(engine, job);
  };
  return { ...world, engine, titles };
}

async function reportOf(engine: LoomEngine, job: string): Promise<TitleReport> {
  await until(async () => value(await engine.call('job.get', by(), { job })).state !== 'running');
  return titleReport().parse(value(await engine.call('job.get', by(), { job })).result);
}

const titleOf = async ({ engine }: World, root: string) => (await engine.forest.log(root).state()).title;

test('[OP300] the price of titles is told before any model is asked, for those alone that have words and no title', async () => {
  const world = await titling();
  const { engine } = world;
  const [short, long] = [await begin(engine, 'Short words'), await begin(engine, 'x'.repeat(5_000))];
  const titled = await begin(engine, 'Mine');
  value(await engine.call('root.mark', by(), { root: titled, title: 'Mine' }));
  const archived = await begin(engine, 'Old words');
  value(await engine.call('root.mark', by(), { root: archived, archived: true }));
  await begin(engine, 'A task', { sender: `${short}/node-1` });
  const plan = value(await engine.call('root.suggest_titles', by(), { dry_run: true }));
  assert.deepEqual([plan.untitled, plan.provider, plan.model, plan.job], [2, 'scripted', 'cheap', undefined]);
  // The longest questions that these two can become are 1,151 and 2,140 characters.
  const input = (1_151 + 2_140) * 0.3;
  assert.equal(plan.tokens, Math.ceil(input + 40));
  assert.equal(plan.cost_usd?.toFixed(8), ((input + 5 * 40) / 1_000_000).toFixed(8));
  const some = value(
    await engine.call('root.suggest_titles', by(), { dry_run: true, roots: [long, titled, archived] }),
  );
  assert.equal(some.untitled, 2, 'those that are named are taken though they are archived, but no title is replaced');
  const unknown = await engine.call('root.suggest_titles', by(), { dry_run: true, roots: [long, 'root-gone'] });
  assert.equal(unknown.ok || unknown.refusal.reason, 'root-not-found');
  assert.equal(world.provider.requests.length, 0);
});

test('[OP300] without a model the price is unknown and the job is refused; a limited caller gets neither', async () => {
  const { engine, root } = await createWorld();
  await begin(engine, 'Words');
  const plan = value(await engine.call('root.suggest_titles', by(), { dry_run: true }));
  assert.deepEqual([plan.untitled, plan.model, plan.cost_usd], [1, undefined, undefined]);
  const reasonOf = async (params: object, given: Partial<Caller> = {}): Promise<string> => {
    const outcome = await engine.call('root.suggest_titles', by(given), params);
    return outcome.ok ? 'ok' : outcome.refusal.reason;
  };
  assert.equal(await reasonOf({}), 'invalid-params');
  assert.equal(await reasonOf({ model: 'cheap' }), 'invalid-params');
  assert.equal(await reasonOf({ provider: 'nobody', model: 'cheap' }), 'unknown-provider');
  assert.equal(await reasonOf({ dry_run: true, roots: [root] }, { roots: [root] }), 'not-permitted');
});

test('[OP301] one job titles all untitled conversations, each title as soon as it is there, and says what it cost', async () => {
  const world = await titling(say('The tides'), say('The gauges'));
  const [tides, gauges] = [await begin(world.engine, 'About tides'), await begin(world.engine, 'About gauges')];
  const report = await world.titles();
  assert.deepEqual([report.titled, report.kept, report.failed, report.left], [2, 0, [], 0]);
  assert.deepEqual([report.input_tokens, report.output_tokens], [20, 10]);
  assert.equal(report.cost_usd?.toFixed(8), ((20 + 5 * 10) / 1_000_000).toFixed(8));
  const found = [await titleOf(world, tides), await titleOf(world, gauges)];
  assert.deepEqual(new Set(found), new Set(['The gauges', 'The tides']));
  const again = value(await world.engine.call('root.suggest_titles', by(), {}));
  assert.deepEqual([again.untitled, again.job], [0, undefined]);
  assert.equal(world.provider.requests.length, 2);
});

/** A model that counts its calls and answers each when it is let. */
function held(): { scripts: Script[]; release: (count: number) => void } {
  const waiting: (() => void)[] = [];
  let free = 0;
  const script = async function* (_request: ProviderRequest, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
    if (free > 0) free -= 1;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => {
          waiting.splice(waiting.indexOf(resolve), 1);
          resolve();
        });
      });
    yield* say('A title');
  };
  return {
    scripts: Array.from({ length: 20 }, () => script),
    release: (count) => {
      for (let index = 0; index < count; index += 1) {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

test('[OP301] a process that ends in the middle keeps the titles so far, and the next job asks for the others alone', async () => {
  const { scripts, release } = held();
  const world = await titling(...scripts);
  for (let index = 0; index < 8; index += 1) await begin(world.engine, `Conversation ${index}`);
  const { job = '' } = value(await world.engine.call('root.suggest_titles', by(), {}));
  await until(() => world.provider.requests.length === 4);
  const second = value(await world.engine.call('root.suggest_titles', by(), {}));
  assert.equal(second.job, job, 'there is one such job at a time');
  release(3);
  await until(() => world.provider.requests.length === 7);
  await world.engine.close();
  const next = world.another({ titleModels: { usual: async () => cheap, afterAnswer: async () => undefined } });
  const plan = value(await next.call('root.suggest_titles', by(), {}));
  assert.equal(plan.untitled, 5, 'three titles were kept');
  const asked = world.provider.requests.length;
  await until(() => world.provider.requests.length === asked + 4);
  release(5);
  const report = await reportOf(next, plan.job ?? '');
  assert.deepEqual([report.titled, report.left], [5, 0]);
  assert.equal(world.provider.requests.length, asked + 5, 'no title is paid twice');
});

test('[OP301] a job that is cancelled says how many are left, and a title that a person gives meanwhile stays', async () => {
  const { scripts, release } = held();
  const world = await titling(...scripts);
  const roots: string[] = [];
  for (let index = 0; index < 8; index += 1) roots.push(await begin(world.engine, `Conversation ${index}`));
  const { job = '' } = value(await world.engine.call('root.suggest_titles', by(), {}));
  await until(() => world.provider.requests.length === 4);
  const [asked = ''] = world.provider.requests.map(({ root }) => root);
  value(await world.engine.call('root.mark', by(), { root: asked, title: 'Mine' }));
  release(1);
  await until(() => world.provider.requests.length === 5);
  value(await world.engine.call('job.cancel', by(), { job }));
  await until(async () => value(await world.engine.call('job.get', by(), { job })).state === 'cancelled');
  const report = titleReport().parse(value(await world.engine.call('job.get', by(), { job })).result);
  assert.deepEqual([report.cancelled, report.left, report.failed], [true, 3, []]);
  assert.equal(await titleOf(world, asked), 'Mine');
  const given = await Promise.all(roots.map((root) => titleOf(world, root)));
  assert.equal(given.filter((title) => title === 'A title').length, 0);
});

test('[OP301] a model that fails again and again is not asked about all of them', async () => {
  const failing: ProviderEvent[] = [
    { type: 'call-start' },
    { type: 'call-error', error: { code: 'quota', message: 'the account is empty' } },
  ];
  const world = await titling(...Array.from({ length: 40 }, () => failing));
  for (let index = 0; index < 40; index += 1) await begin(world.engine, `Conversation ${index}`);
  const report = await world.titles();
  assert.equal(report.stopped, 'the account is empty');
  assert.ok(world.provider.requests.length < 10, `${world.provider.requests.length} calls`);
  assert.equal(report.left, 40 - world.provider.requests.length);
  assert.equal(report.failed.length, world.provider.requests.length);
});

test('[OP302] a conversation without a title gets one after an answer where a model is chosen for that, once and in the background', async () => {
  const world = await createWorld([say('Oslo.'), say('The capital of Norway'), say('Bergen.')]);
  const asked: string[] = [];
  const afterAnswer = async (provider: string) => {
    asked.push(provider);
    return cheap;
  };
  const engine = world.another({ exclusive: true, titleModels: { usual: async () => cheap, afterAnswer } });
  const answer = async (text: string): Promise<void> => {
    const node = await world.say(text);
    const params = { node, provider: 'scripted', model: 'one' };
    const { turns } = value(await engine.turns.generate({ agent: 'ann', id: world.ids.next() }, world.root, params));
    await engine.turns.wait(turns[0] ?? '');
  };
  await answer('What is the capital of Norway?');
  await until(async () => (await engine.forest.log(world.root).state()).title !== undefined);
  assert.equal((await engine.forest.log(world.root).state()).title, 'The capital of Norway');
  await answer('And before?');
  await engine.close();
  assert.deepEqual(
    world.provider.requests.map(({ model }) => model),
    ['one', 'cheap', 'one'],
  );
  assert.deepEqual(asked, ['scripted']);
});

test('[TU46] signs that turn or hide the text of a title are taken out, and a long answer becomes a short title', async () => {
  const evil = `\u202Egnp.exe\u202C \u200Breport\u0007`;
  const world = await titling(say(`${evil}\nsecond line`), say('word '.repeat(2_000)));
  const roots = [await begin(world.engine, 'One'), await begin(world.engine, 'Two')];
  await world.titles({ roots: roots.slice(0, 1) });
  assert.equal(await titleOf(world, roots[0] ?? ''), 'gnp.exe report');
  await world.titles();
  assert.ok(((await titleOf(world, roots[1] ?? '')) ?? '').length <= 60);
});
