import assert from 'node:assert/strict';
import { after } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import { testProviderContract } from '../testing/contract.ts';
import { anthropicWire } from '../testing/emulators/anthropic.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { playScenarios } from '../testing/emulators/script.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { contractPrompts, testScenarios } from '../testing/scenario-suite.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import { createAnthropicProvider } from './index.ts';

const emulator = await startEmulator(anthropicWire, playScenarios);
after(() => emulator.close());

const prompts = contractPrompts(anthropicWire);
assert.ok(isNonEmpty(prompts));

testProviderContract(
  'anthropic',
  () =>
    createAnthropicProvider({
      clock: new HastyClock(),
      random: () => 0.5,
      key: async () => 'key',
      baseURL: `${emulator.url}/v1`,
    }),
  { models: ['claude-opus-4-8', 'claude-sonnet-4-5'], prompts, tools: scenarioTools },
);

testScenarios('anthropic', {
  wire: anthropicWire,
  model: 'claude-opus-4-8',
  path: '/v1',
  make: createAnthropicProvider,
});
