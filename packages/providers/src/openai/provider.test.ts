import assert from 'node:assert/strict';
import { after } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import { testProviderContract } from '../testing/contract.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { chatWire } from '../testing/emulators/openai-chat.ts';
import { responsesWire } from '../testing/emulators/openai-responses.ts';
import { playScenarios } from '../testing/emulators/script.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { contractPrompts, testScenarios } from '../testing/scenario-suite.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import { createOpenAIProvider } from './index.ts';

for (const { name, wire, models } of [
  { name: 'openai', wire: responsesWire, models: ['gpt-5.5', 'gpt-4o'] as const },
  { name: 'openai chat', wire: chatWire, models: ['chat/gpt-5.5', 'chat/gpt-4o'] as const },
]) {
  const emulator = await startEmulator(wire, playScenarios);
  after(() => emulator.close());
  const prompts = contractPrompts(wire);
  assert.ok(isNonEmpty(prompts));
  testProviderContract(
    name,
    () =>
      createOpenAIProvider({
        clock: new HastyClock(),
        random: () => 0.5,
        key: async () => 'key',
        baseURL: `${emulator.url}/v1`,
      }),
    { models, prompts, tools: scenarioTools },
  );
  testScenarios(name, { wire, model: models[0], path: '/v1', make: createOpenAIProvider });
}
