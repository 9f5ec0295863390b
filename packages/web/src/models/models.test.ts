import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKey, providerOfKey } from './key-kinds.ts';
import type { ModelInfo, PresetInfo, ProviderInfo } from './model-answers.ts';
import { filterModels, unusable } from './model-filter.ts';
import { abilitiesOf, answererWords, hindranceOf, priceOf, problemOf, takesNoMoney, windowOf } from './model-words.ts';
import { agentsOf, modelOfAgent } from './agents.ts';
import { Models } from './models.ts';
import { answerCount, answerersOf, nothingPicked, pick, readPicked, usualModelOf } from './picked.ts';

const model = (name: string, more: Partial<ModelInfo> = {}): ModelInfo => {
  const [provider = '', short = name] = name.split('/');
  return { name, provider, model: short, usable: true, ...more };
};
const provider = (name: string, more: Partial<ProviderInfo> = {}): ProviderInfo => ({
  name,
  kind: 'compatible',
  usable: true,
  local: false,
  key: 'file',
  models: 1,
  ...more,
});
const opus = model('anthropic/claude-opus', {
  context: 200_000,
  price: { input: 5, output: 25 },
  tools: true,
  images: true,
});
const gpt = model('openai/gpt', { usable: false });
const demo = model('demo');

test('[WB78] the picker finds models by the words of their names; those that can be asked come first', () => {
  const models = [gpt, opus, demo, model('demo:secret')];
  const names = (query: string): string[] =>
    filterModels(models, [], query, { hidden: ['demo:secret'] }).groups.flatMap((group) =>
      group.models.map(({ name }) => name),
    );
  assert.deepEqual(names(''), ['anthropic/claude-opus', 'demo'], 'without a query only what can be asked');
  assert.deepEqual(names('opus CLAUDE'), ['anthropic/claude-opus']);
  assert.deepEqual(names('o'), ['anthropic/claude-opus', 'demo', 'demo:secret', 'openai/gpt']);
  assert.deepEqual(names('nothing'), []);
  assert.deepEqual(names('secret'), ['demo:secret'], 'what is hidden can be searched for');
  assert.equal(filterModels(models, [], 'o', { limit: 1 }).more, 3);
  const aged = [opus, model('anthropic/claude-2', { older: true }), model('anthropic/claude-1', { older: true })];
  const filtered = filterModels(aged, [], '', { chosen: ['anthropic/claude-1'] });
  assert.deepEqual(
    [filtered.groups[0]?.models.map(({ name }) => name), filtered.older],
    [['anthropic/claude-opus', 'anthropic/claude-1'], 1],
    'older ones wait, unless one of them answers',
  );
  assert.equal(filterModels(aged, [], '', { withOlder: true }).groups[0]?.models.length, 3);
  assert.equal(filterModels(aged, [], 'claude').groups[0]?.models.length, 3, 'searching finds all');
  const closed = unusable([
    provider('ollama', { usable: false, local: true }),
    provider('a'),
    provider('b', { usable: false }),
  ]);
  assert.deepEqual(
    closed.map(({ name }) => name),
    ['b', 'ollama'],
  );
});

test('[WB78] a model tells its window, price and abilities', () => {
  assert.deepEqual([windowOf(opus), priceOf(opus), abilitiesOf(opus)], ['200k', '$5 in, $25 out', 'tools, images']);
  assert.deepEqual(
    [windowOf(gpt), priceOf(gpt), priceOf(demo), priceOf(gpt, true)],
    [undefined, 'price unknown', 'free', 'free'],
  );
  assert.equal(priceOf(model('x/y', { price: { input: 0.25, output: 1.5 } })), '$0.25 in, $1.50 out');
});

test('[WB78] a server on this machine is free; an agent is not, whose models are elsewhere, and one that is missing is not installed', () => {
  const agent = provider('coder', { kind: 'agent', local: true, key: 'none' });
  assert.deepEqual([takesNoMoney(provider('ollama', { local: true })), takesNoMoney(agent)], [true, false]);
  const hindrance = { code: 'missing', message: 'Install it with npm.' };
  assert.equal(hindranceOf({ ...agent, usable: false, hindrance }), 'not installed');
});

test('[WB79] who answers is what was picked, else the preset, else the usual model; what cannot be asked is named', () => {
  const presets: PresetInfo[] = [
    { name: 'deep', active: false, model: 'anthropic/claude-opus', n: 3, settings: { reasoning: 'high' } },
  ];
  const offered = { models: [opus, gpt, demo], presets, usual: 'demo' };
  const who = (picked: Parameters<typeof answerersOf>[0]) => {
    const { models, missing, n, settings } = answerersOf(picked, offered);
    return [models.map(({ name }) => name).join(), missing.join(), n, settings];
  };
  assert.deepEqual(who(nothingPicked), ['demo', '', 1, {}]);
  assert.deepEqual(who({ names: [], n: 1, preset: 'deep' }), ['anthropic/claude-opus', '', 3, { reasoning: 'high' }]);
  assert.deepEqual(
    who({ names: ['openai/gpt'], n: 1 }),
    ['', 'openai/gpt', 1, {}],
    'no other model answers in its place',
  );
  assert.deepEqual(who({ names: ['demo', 'anthropic/claude-opus', 'gone'], n: 2 }), [
    'demo,anthropic/claude-opus',
    'gone',
    2,
    {},
  ]);
  assert.equal(answerCount(answerersOf({ names: ['demo', 'anthropic/claude-opus'], n: 2 }, offered)), 4);
  assert.equal(answererWords({ models: [opus, demo], n: 2 }), '2 models × 2');
  assert.equal(answererWords({ models: [opus], n: 1 }, 'deep'), 'deep: claude-opus');
  assert.equal(answererWords({ models: [], n: 1 }), 'No model');
});

test('[WB79] models are picked alone or beside others, and what was kept is read with care', () => {
  const both = pick({ names: ['a'], n: 2 }, 'b', { beside: true });
  assert.deepEqual(both.names, ['a', 'b']);
  assert.deepEqual(pick(both, 'a', { beside: true }).names, ['b']);
  assert.deepEqual(pick(both, 'c', { beside: false }), { names: ['c'], n: 1 });
  assert.deepEqual(readPicked({ names: ['a', 5], n: 2, preset: 'p' }), { names: ['a'], n: 2, preset: 'p' });
  for (const bad of [null, {}, { names: 'a', n: 1 }, { names: [], n: 0 }, { names: [], n: 99 }])
    assert.equal(readPicked(bad), undefined);
});

test('[WB86] a provider answers with its usual model, not with the first of its list', () => {
  const model = (name: string, usable = true) => ({ name: `a/${name}`, provider: 'a', model: name, usable });
  const models = [model('old'), model('new'), { ...model('new'), provider: 'b' }];
  const provider = { name: 'a', kind: 'a', usable: true, local: false, key: 'file' as const, models: 2 };
  const usualIn = (known: typeof models, usual?: string): string | undefined =>
    usualModelOf('a', {
      models: known,
      providers: [{ ...provider, ...(usual === undefined ? {} : { usual_model: usual }) }],
    })?.name;
  assert.equal(usualIn(models, 'new'), 'a/new');
  assert.equal(usualIn(models, 'gone'), 'a/old');
  assert.equal(usualIn(models), 'a/old');
  assert.equal(usualIn([model('new', false), model('old')], 'new'), 'a/old');
  assert.equal(usualIn([], 'new'), undefined);
});

test('[WB80] a key says by its beginning whose it is; of others that is asked', () => {
  const whose = ['sk-ant-api03-x', 'sk-or-v1-x', 'AIzaSyx', 'sk-proj-x', `sk-${'a'.repeat(48)}`, 'sk-short', 'gsk_x'];
  assert.deepEqual(whose.map(providerOfKey), [
    'anthropic',
    'openrouter',
    'google',
    'openai',
    'openai',
    undefined,
    undefined,
  ]);
  assert.deepEqual(['sk-ant-api03', ' padded-key ', 'short', 'has space', 'ümlaut-key-x'].map(isKey), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('[WB81] models are asked for once however many want them, and a failure is told and can be tried again', async () => {
  let calls = 0;
  let isAway = true;
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: () => {},
  };
  const models = new Models(async (name) => {
    calls += 1;
    if (isAway) throw new Error('there is no answer');
    if (name === 'model.list') return { items: [demo], default: 'demo' };
    if (name === 'preset.list') return { items: [], defaults: { n: 1, settings: {}, system_prompt: 'Be brief.' } };
    return { items: [provider('demo')] };
  }, storage);
  await Promise.all([models.ready(), models.ready()]);
  assert.deepEqual(
    [calls, models.known.getSnapshot().state, models.known.getSnapshot().failure],
    [3, 'failed', 'There is no answer.'],
  );
  isAway = false;
  await models.ready();
  assert.deepEqual(models.answerers.getSnapshot().models, [demo]);
  assert.equal(models.known.getSnapshot().systemPrompt, 'Be brief.');
});

test('[WB214] providers elsewhere are asked for their models when a list is opened, and at the start only for a picked one', async () => {
  const asked: string[] = [];
  const storageWith = (names: readonly string[]) => ({
    getItem: (key: string) => (key === 'loom-picked' ? JSON.stringify({ names, n: 1 }) : null),
    setItem: () => {},
    removeItem: () => {},
  });
  const fresh = model('anthropic/claude-fresh');
  const problem = { code: 'key-refused', message: 'anthropic does not take the key.' };
  const open = (...names: string[]): Models =>
    new Models(async (name, params) => {
      const isLive = Reflect.get(Object(params), 'live') !== false;
      if (isLive && /^(?:model|provider)/u.test(name)) asked.push(name);
      if (name === 'model.list') return { items: isLive ? [demo, fresh] : [demo], default: 'demo' };
      if (name === 'preset.list') return { items: [], defaults: { n: 1, settings: {} } };
      const anthropic = provider('anthropic', isLive ? { problem } : {});
      return { items: [provider('demo'), anthropic] };
    }, storageWith(names));
  const idle = open('demo', 'gone/model');
  await idle.ready();
  assert.deepEqual(asked, [], 'nothing at the start, nor for a provider that is not set up');
  await idle.loadAll();
  assert.deepEqual(asked.splice(0), ['model.list', 'provider.list']);
  const { models, providers, isWhole } = idle.known.getSnapshot();
  assert.deepEqual([models.map(({ name }) => name), isWhole], [['demo', fresh.name], true]);
  assert.deepEqual(providers.map(problemOf), ['', 'key refused']);
  const picked = open(fresh.name);
  await picked.ready();
  assert.deepEqual(
    picked.answerers.getSnapshot().models.map(({ name }) => name),
    [fresh.name],
  );
  assert.deepEqual(asked, ['model.list', 'provider.list']);
});

test('[WB649] an agent that has not said which models it has is chosen with its usual one, which stays chosen once it has said them', async () => {
  const said: ModelInfo[] = [];
  const models = new Models(
    async (name) => {
      if (name === 'model.list') return { items: [demo, ...said], default: 'demo' };
      if (name === 'preset.list') return { items: [], defaults: { n: 1, settings: {} } };
      return { items: [provider('demo'), provider('claude', { kind: 'agent', models: said.length })] };
    },
    { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  );
  await models.ready();
  const standing = (): ModelInfo | undefined => {
    const known = models.known.getSnapshot();
    const [agent] = agentsOf(known.providers, known.models);
    return agent && modelOfAgent(agent, models.answerers.getSnapshot().models);
  };
  assert.deepEqual([standing()?.name, standing()?.usable], ['claude/default', true]);
  models.picked.set({ names: ['claude/default'], n: 1 });
  said.push(model('claude/opus'), model('claude/default'));
  await models.loadAll();
  assert.equal(standing()?.name, 'claude/default');
  assert.deepEqual(models.answerers.getSnapshot().missing, []);
});
