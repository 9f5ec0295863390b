import assert from 'node:assert/strict';
import { after } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import { testProviderContract } from '../testing/contract.ts';
import { googleWire } from '../testing/emulators/google.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { playScenarios } from '../testing/emulators/script.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { contractPrompts, testScenarios } from '../testing/scenario-suite.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import { createGoogleProvider } from './index.ts';

const emulator = await startEmulator(googleWire, playScenarios);
after(() => emulator.close());

const prompts = contractPrompts(googleWire);
assert.ok(isNonEmpty(prompts));

testProviderContract(
  'google',
  () =>
    createGoogleProvider({
      clock: new HastyClock(),
      random: () => 0.5,
      key: async () => 'key',
      baseURL: `${emulator.url}/v1beta`,
    }),
  { models: ['gemini-3-pro-preview', 'gemini-2.5-flash'], prompts, tools: scenarioTools },
);

testScenarios('google', {
  wire: googleWire,
  model: 'gemini-3-pro-preview',
  path: '/v1beta',
  make: createGoogleProvider,
});
