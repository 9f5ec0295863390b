import { after } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import assert from 'node:assert/strict';
import { testProviderContract } from '../testing/contract.ts';
import { anthropicWire } from '../testing/emulators/anthropic.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { playScenarios } from '../testing/emulators/script.ts';
import { scenarios, tools } from '../testing/scenarios.ts';
import { machineClock } from '../testing/machine-clock.ts';
import { createAnthropicProvider } from './index.ts';

const emulator = await startEmulator(anthropicWire, playScenarios);
after(() => emulator.close());

const prompts = scenarios.map(({ prompt }) => prompt);
assert.ok(isNonEmpty(prompts));

testProviderContract(
  'anthropic',
  () =>
    createAnthropicProvider({
      clock: machineClock,
      random: () => 0.5,
      key: async () => 'key',
      baseURL: `${emulator.url}/v1`,
    }),
  { models: ['claude-opus-4-8', 'claude-sonnet-4-5'], prompts, tools },
);
