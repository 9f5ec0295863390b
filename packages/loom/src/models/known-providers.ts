import type { PROVIDER_KINDS } from '../config/settings.ts';

export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** A provider that Loom knows by name, as plain data. */
export interface KnownProvider {
  name: string;
  kind: ProviderKind;
  /** Its address unless a setting or a variable says otherwise; without one the SDK knows. */
  address?: string;
  /** The default model if only the provider is named: the vendor's balance of price and quality. */
  usualModel?: string;
  /** True if it runs on this machine: it needs no key and costs nothing, but it has to be running. */
  isLocal?: boolean;
}

/** The known providers, in the order in which they are preferred where nothing is configured. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  { name: 'anthropic', kind: 'anthropic', usualModel: 'claude-sonnet-5' },
  { name: 'openai', kind: 'openai', usualModel: 'gpt-5.4-mini' },
  { name: 'google', kind: 'google', usualModel: 'gemini-3.8-flash' },
  {
    name: 'openrouter',
    kind: 'compatible',
    address: 'https://openrouter.ai/api/v1',
    usualModel: 'anthropic/claude-sonnet-5',
  },
  { name: 'ollama', kind: 'compatible', address: 'http://127.0.0.1:11434', isLocal: true },
  { name: 'lm-studio', kind: 'compatible', address: 'http://127.0.0.1:1234', isLocal: true },
  { name: 'llama-cpp', kind: 'compatible', address: 'http://127.0.0.1:8080', isLocal: true },
  { name: 'vllm', kind: 'compatible', address: 'http://127.0.0.1:8000', isLocal: true },
];

export function knownProvider(name: string): KnownProvider | undefined {
  return KNOWN_PROVIDERS.find((known) => known.name === name);
}
