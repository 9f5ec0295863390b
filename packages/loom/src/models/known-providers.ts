import type { PROVIDER_KINDS } from '../config/settings.ts';

export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** A provider that Loom knows by name, as plain data. */
export interface KnownProvider {
  name: string;
  kind: ProviderKind;
  /** Where it is reached unless a setting or a variable says otherwise; without one the SDK knows. */
  address?: string;
  /** The model that answers where only the provider is named: the vendor's balance of price and quality. */
  usualModel?: string;
  /** It runs on this machine: it needs no key and costs nothing, but it has to be running. */
  isLocal?: boolean;
}

/** In the order in which they are preferred where nothing is configured. */
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
];

export function knownProvider(name: string): KnownProvider | undefined {
  return KNOWN_PROVIDERS.find((known) => known.name === name);
}
