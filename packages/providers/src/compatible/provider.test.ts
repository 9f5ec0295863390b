import assert from 'node:assert/strict';
import { after } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import type { Provider } from '@loom/kernel';
import type { ApiDependencies } from '../api/api.ts';
import { testProviderContract } from '../testing/contract.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { compatibleWire } from '../testing/emulators/openai-chat.ts';
import { playScenarios } from '../testing/emulators/script.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { contractPrompts, testScenarios } from '../testing/scenario-suite.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import { createCompatibleProvider } from './index.ts';

const emulator = await startEmulator(compatibleWire, playScenarios);
after(() => emulator.close());

const prompts = contractPrompts(compatibleWire);
assert.ok(isNonEmpty(prompts));

testProviderContract(
  'compatible',
  () => make({ clock: new HastyClock(), random: () => 0.5, key: async () => undefined, baseURL: `${emulator.url}/v1` }),
  { models: ['local-model'], prompts, tools: scenarioTools },
);

testScenarios('compatible', { wire: compatibleWire, model: 'local-model', path: '/v1', make });

function make(dependencies: ApiDependencies): Provider {
  return createCompatibleProvider({ name: 'vllm', baseURL: dependencies.baseURL ?? '' }, dependencies);
}
