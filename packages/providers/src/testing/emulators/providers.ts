import type { Provider } from '@loom/kernel';
import { createAnthropicProvider } from '../../anthropic/index.ts';
import type { ApiDependencies } from '../../api/api.ts';
import { createCompatibleProvider } from '../../compatible/index.ts';
import { createGoogleProvider } from '../../google/index.ts';
import { createOpenAIProvider } from '../../openai/index.ts';
import { anthropicWire } from './anthropic.ts';
import type { EmulatedWire } from './core.ts';
import { googleWire } from './google.ts';
import { chatWire, compatibleWire, openaiWire } from './openai-chat.ts';
import { responsesWire } from './openai-responses.ts';

/** A provider with the wire that it speaks, for tests over all of them. */
export interface EmulatedProvider {
  name: string;
  wire: EmulatedWire;
  model: string;
  /** The path of the API below the address of its server. */
  path: string;
  make: (dependencies: ApiDependencies & { baseURL: string }) => Provider;
}

/** One for each wire. */
export const emulatedProviders: readonly EmulatedProvider[] = [
  { name: 'anthropic', wire: anthropicWire, model: 'claude-opus-4-8', path: '/v1', make: createAnthropicProvider },
  { name: 'openai', wire: responsesWire, model: 'gpt-5.5', path: '/v1', make: createOpenAIProvider },
  { name: 'openai chat', wire: chatWire, model: 'chat/gpt-4o', path: '/v1', make: createOpenAIProvider },
  { name: 'google', wire: googleWire, model: 'gemini-3-pro-preview', path: '/v1beta', make: createGoogleProvider },
  {
    name: 'compatible',
    wire: compatibleWire,
    model: 'local-model',
    path: '/v1',
    make: (dependencies) => createCompatibleProvider({ name: 'vllm', baseURL: dependencies.baseURL }, dependencies),
  },
];

/** One for each provider, with models that take turns in one conversation: of other makers, and of the same. */
export const mixedProviders: readonly (Omit<EmulatedProvider, 'model'> & { models: readonly string[] })[] = [
  { ...providerNamed('anthropic'), models: ['claude-opus-4-8', 'claude-sonnet-4-5'] },
  { ...providerNamed('openai'), wire: openaiWire, models: ['gpt-5.5', 'gpt-4o', 'chat/gpt-4o', 'chat/gpt-5.5'] },
  { ...providerNamed('google'), models: ['gemini-3-pro-preview', 'gemini-2.5-flash'] },
  { ...providerNamed('compatible'), models: ['local-model'] },
];

function providerNamed(name: string): EmulatedProvider {
  const found = emulatedProviders.find((provider) => provider.name === name);
  if (found === undefined) throw new Error(`there is no provider ${name}`);
  return found;
}
