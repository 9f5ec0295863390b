import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isNonEmpty, isPlainObject } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { VirtualClock } from '@loom/kernel/testing';
import { testProviderContract } from '../testing/contract.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { listOf } from '../testing/emulators/openai-rules.ts';
import { playScenarios } from '../testing/emulators/script.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { contractPrompts, testScenarios } from '../testing/scenario-suite.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import { collectEvents, requestSaying } from '../testing/streams.ts';
import { createPlanProvider } from './provider.ts';
import { PlanError } from './plan-error.ts';
import { planWire } from './testing/plan-emulator.ts';

const whims: { usedUp?: boolean } = {};
const wire = planWire({ has: (token) => token !== '' && !token.startsWith('wrong') }, whims);
const emulator = await startEmulator(wire, playScenarios);
after(() => emulator.close());
const common = { id: 'chatgpt', clock: new HastyClock(), random: () => 0.5, baseURL: `${emulator.url}/v1` };
const make = (token = (): Promise<string> => Promise.resolve('token-of-a-person')) =>
  createPlanProvider({ ...common, token });
const prompts = contractPrompts(wire);
assert.ok(isNonEmpty(prompts));
testProviderContract('chatgpt', () => make(), { models: ['gpt-5.5', 'gpt-4o'], prompts, tools: scenarioTools });
testScenarios('chatgpt', {
  wire,
  model: 'gpt-5.5',
  path: '/v1',
  make: ({ key, ...given }) => createPlanProvider({ ...given, id: 'chatgpt', token: async () => (await key()) ?? '' }),
});

function errorOf(events: readonly ProviderEvent[]) {
  const last = events.at(-1);
  return last?.type === 'call-error' ? last.error : assert.fail(JSON.stringify(last));
}

test('[CI23] a request has its instructions and tools where the plan takes them, and nothing that it refuses', async () => {
  const settings = {
    temperature: 0.5,
    providerOptions: { openai: { user: 'jo', metadata: { a: 'b' }, parallelToolCalls: false } },
    providerTools: ['web_search', 'code_execution'],
  };
  const request = requestSaying('hello', {
    model: 'gpt-4o',
    settings,
    systemPrompt: 'Be brief.',
    tools: scenarioTools,
  });
  const events = await collectEvents(make(), request);
  assert.equal(events.at(-1)?.type, 'call-end', JSON.stringify(events.at(-1)));
  const { json } = emulator.requests.at(-1) ?? assert.fail();
  assert.ok(isPlainObject(json));
  assert.equal(json['instructions'], 'Be brief.');
  assert.deepEqual([json['store'], json['stream'], json['parallel_tool_calls']], [false, true, false]);
  assert.deepEqual(json['tools'], [{ type: 'web_search' }]);
  const first = listOf(json['input'])[0] ?? {};
  assert.ok(Array.isArray(first['tools']));
  assert.deepEqual(
    [first['type'], first['role'], first['tools'].length],
    ['additional_tools', 'developer', scenarioTools.length],
  );
  const note = JSON.stringify(events.filter(({ type }) => type === 'note'));
  for (const name of ['temperature', 'user', 'metadata', 'code_execution'])
    assert.match(note, new RegExp(`have no ${name}`, 'u'));
});

test('[CI23] a plan that is used up, a token that has ended and a person who is not logged in are said with what to do', async () => {
  const request = requestSaying('hello', { model: 'gpt-5.5' });
  whims.usedUp = true;
  const before = emulator.requests.length;
  const used = errorOf(await collectEvents(make(), request));
  whims.usedUp = false;
  assert.equal(used.code, 'quota');
  assert.match(used.message, /chatgpt\.com\/settings\/usage/u);
  assert.equal(emulator.requests.length, before + 1, 'it is not asked again');
  const ended = errorOf(
    await collectEvents(
      make(() => Promise.resolve('wrong-token-of-a-person')),
      request,
    ),
  );
  assert.equal(ended.code, 'auth');
  assert.match(ended.message, /log in again/u);
  assert.doesNotMatch(ended.message, /wrong-token/u);
  const nobody = errorOf(
    await collectEvents(
      make(() => Promise.reject(new PlanError('logged-out', 'Nobody is logged in.'))),
      request,
    ),
  );
  assert.deepEqual([nobody.code, nobody.message], ['auth', 'Nobody is logged in.']);
});

test('[CI23] the list of an account has the models that it shows', async () => {
  const provider = createPlanProvider({
    ...common,
    clock: new VirtualClock(),
    token: () => Promise.resolve('token'),
  });
  const offer = await provider.offers?.();
  assert.deepEqual(offer?.models, [{ name: 'gpt-5.4', about: 'GPT-5.4' }]);
});
