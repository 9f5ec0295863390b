import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Provider, ProviderOffer } from '../../provider.ts';
import { ScriptedProvider } from '../../testing/scripted-provider.ts';
import { createWorld, until } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';
import { modelOperations } from './model-operations.ts';
import type { ModelEntry, ModelPort, ProviderAnswer } from './model-operations.ts';

/** Makes a provider with some offers. */
function offering(id: string, offers: () => Promise<ProviderOffer>, runsTools = true): Provider {
  return { id, runsTools, offers, stream: (request, call) => new ScriptedProvider().stream(request, call) };
}

function entry(name: string, usable: boolean): ModelEntry {
  const [provider = '', model = ''] = name.split('/');
  return { name, provider, usable, describe: () => ({ name, provider, model, usable }) };
}

const api: ProviderAnswer = { name: 'api', kind: 'openai', usable: true, local: false, key: 'file', models: 1 };

const refusing = (): never => assert.fail('it was not asked for');

const port: ModelPort = {
  models: async () => ({ ok: true, value: { models: [entry('api/big', true), entry('other/x', false)] } }),
  providers: async () => ({ ok: true, value: [api] }),
  presets: refusing,
  check: refusing,
  setKey: refusing,
};

async function listWith(...providers: Provider[]) {
  const world = await createWorld();
  const engine = world.another({ providers, operations: modelOperations(port) });
  const caller = (): Caller => ({ agent: 'ann', type: 'person', role: 'reader', door: 'http', id: world.ids.next() });
  const ask = async (name: string): Promise<unknown[]> => {
    const outcome = await engine.call<string>(name, caller(), {});
    if (!outcome.ok) assert.fail(JSON.stringify(outcome.refusal));
    return z.object({ items: z.array(z.unknown()) }).parse(outcome.value).items;
  };
  return { world, models: () => ask('model.list'), providers: () => ask('provider.list') };
}

const nameOf = (item: unknown): unknown => Reflect.get(Object(item), 'name');

test('[OP67] what a provider offers is listed with its state, and asked for each time', async () => {
  let offer: ProviderOffer = {
    state: { type: 'missing', message: 'Install it with npm.' },
    models: [{ name: 'fast' }],
  };
  const { models, providers } = await listWith(offering('coder', async () => offer));
  assert.deepEqual((await models()).map(nameOf), ['api/big', 'other/x', 'coder/fast']);
  assert.deepEqual((await providers()).slice(1), [
    {
      name: 'coder',
      kind: 'agent',
      usable: false,
      hindrance: { code: 'missing', message: 'Install it with npm.' },
      local: true,
      key: 'none',
      models: 1,
    },
  ]);
  const [modes, commands] = [[{ name: 'plan', about: 'Changes nothing.' }], [{ name: 'review' }]];
  const named = [{ name: 'fast', about: 'Quick.' }, { name: 'deep' }];
  offer = { state: { type: 'installed', version: '2.1' }, models: named, modes, commands, remark: 'Not tried.' };
  const listed = await models();
  assert.deepEqual(listed.map(nameOf), ['api/big', 'coder/fast', 'coder/deep', 'other/x']);
  const fast = { name: 'coder/fast', provider: 'coder', model: 'fast', usable: true, about: 'Quick.', tools: true };
  assert.deepEqual(listed[1], fast);
  assert.partialDeepStrictEqual((await providers())[1], {
    usable: true,
    version: '2.1',
    remark: 'Not tried.',
    models: 2,
    modes,
    commands,
  });
});

test('[OP67] a provider that is set up already keeps what is known of it', async () => {
  const offer: ProviderOffer = {
    state: { type: 'installed', version: '1' },
    models: [{ name: 'big', about: 'again' }],
  };
  const { models, providers } = await listWith(offering('api', async () => offer, false));
  assert.deepEqual((await models()).map(nameOf), ['api/big', 'other/x']);
  assert.deepEqual(await providers(), [{ ...api, version: '1' }]);
});

test('[OP106] a provider that could not list its models keeps those that are known, and says why', async () => {
  const failed = { code: 'key-refused', message: 'api does not take the key. Set another one.' } as const;
  const facts = { context: 9, output: 3, images: true };
  const own = offering(
    'own',
    async () => ({ state: { type: 'failed', ...failed }, models: [{ name: 'x', created: 1, ...facts }] }),
    false,
  );
  const { models, providers } = await listWith(
    offering('api', async () => ({ state: { type: 'failed', ...failed } }), false),
    own,
  );
  assert.deepEqual((await models()).slice(0, 2), [
    { name: 'api/big', provider: 'api', model: 'big', usable: true },
    { name: 'own/x', provider: 'own', model: 'x', usable: true, ...facts },
  ]);
  assert.deepEqual((await providers())[0], { ...api, problem: failed });
  assert.partialDeepStrictEqual((await providers())[1], { usable: true, problem: failed });
});

test('[OP106] only a live list reaches beyond this machine', async () => {
  const reaches: boolean[] = [];
  const world = await createWorld();
  const counting: ModelPort = {
    ...port,
    models: async ({ live }) => {
      reaches.push(live);
      return { ok: true, value: { models: [] } };
    },
    providers: async ({ live }) => {
      reaches.push(live);
      return { ok: true, value: [] };
    },
  };
  const engine = world.another({ operations: modelOperations(counting) });
  const caller = (): Caller => ({ agent: 'ann', type: 'person', role: 'reader', door: 'http', id: world.ids.next() });
  for (const name of ['model.list', 'provider.list'])
    for (const params of [{}, { live: false }]) await engine.call<string>(name, caller(), params);
  assert.deepEqual(reaches, [true, false, true, false]);
});

test('[PV62] a provider that fails or answers nonsense is missing, one that is slow is not, and the others are listed', async () => {
  const nonsense = { id: 'nonsense', stream: refusing };
  Object.assign(nonsense, { offers: () => ({ state: { type: 'fine' } }) });
  const { world, providers } = await listWith(
    offering('failing', () => Promise.reject(new Error('no such file'))),
    nonsense,
    offering('silent', () => new Promise(() => {})),
    offering('coder', async () => ({ state: { type: 'installed' } })),
  );
  const asked = providers();
  let isListed = false;
  void asked.then(() => (isListed = true));
  await until(() => {
    world.clock.advance(1_000);
    return isListed;
  });
  const states = (await asked).slice(1).map((item) => {
    const message: unknown = Reflect.get(Object(Reflect.get(Object(item), 'hindrance')), 'message');
    return [nameOf(item), typeof message === 'string' ? message.replace(/: state.*/u, ': state …') : 'usable'];
  });
  assert.deepEqual(states, [
    ['failing', 'The provider failing cannot say what it offers: no such file'],
    ['nonsense', 'The provider nonsense cannot say what it offers: state …'],
    ['silent', 'usable'],
    ['coder', 'usable'],
  ]);
  assert.match(JSON.stringify(await asked), /silent has not said within 3 seconds what it offers/u);
});
