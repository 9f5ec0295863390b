import { billedParts } from '@loom/kernel';
import type { CallError, Clock, Provider, ProviderEvent, ProviderOffer } from '@loom/kernel';
import type { ModelCatalogue } from '@loom/providers/catalogue';
import { LoomError } from '../command-line/failure.ts';
import { runKeyCommand } from './key-command.ts';
import { fetchFor, secretsIn } from './own-requests.ts';
import type { PlanLogin } from './plan-login.ts';
import type { ProviderSetup } from './provider-setup.ts';

export interface LiveDependencies {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  random: () => number;
  setups: () => Promise<readonly ProviderSetup[]>;
  catalogue: () => Promise<ModelCatalogue>;
  /** The login that stands in for the key of the provider that a plan pays. */
  login: PlanLogin;
}

/** A provider that is set up anew for each call, so that a changed key or address holds from the next one on. */
export interface LiveProvider extends Provider {
  /** Sets the provider for questions that cannot wait, until the next call. */
  use(speaker: Provider): void;
  /**
   * Asks the provider for its models. A program that prints the key is not started for a list: it may ask the person. Then the key
   * of the last call is used.
   */
  list(setup: ProviderSetup): Promise<ProviderOffer | undefined>;
}

export function createLiveProvider(name: string, deps: LiveDependencies): LiveProvider {
  let present: Provider | undefined;
  return {
    id: name,
    use: (speaker) => {
      present = speaker;
    },
    async list(setup) {
      const speaker = setup.key.type === 'command' ? present : await loadSpeaker(setup, deps);
      return speaker?.offers?.();
    },
    takesPrefix: (model) => present?.takesPrefix?.(model) ?? false,
    async *stream(request, call) {
      const speaker = await ready(name, deps);
      if ('code' in speaker) {
        yield { type: 'call-start' };
        yield { type: 'call-error', error: speaker };
        return;
      }
      present = speaker;
      yield* withCost(name, speaker.stream(request, call), request.model, deps);
    },
  };
}

/** Computes the cost of a call when it is made, and keeps it with the call: prices change. A cost from the provider takes precedence. */
async function* withCost(
  provider: string,
  events: AsyncIterable<ProviderEvent>,
  model: string,
  { catalogue }: LiveDependencies,
): AsyncGenerator<ProviderEvent, void, void> {
  for await (const event of events) {
    if (event.type !== 'usage' || event.usage.cost_usd !== undefined) yield event;
    else {
      const cost = (await catalogue()).costOf(provider, model, { ...event.usage, ...billedParts(event.usage) });
      yield cost === undefined ? event : { ...event, usage: { ...event.usage, cost_usd: cost } };
    }
  }
}

/** The provider as it is configured now, with its key, or why it cannot be asked. */
async function ready(name: string, deps: LiveDependencies): Promise<Provider | CallError> {
  try {
    const setup = (await deps.setups()).find((known) => known.name === name);
    if (setup === undefined) return { code: 'auth', message: `The provider ${name} is not configured any more.` };
    const { hindrance, key } = setup;
    if (hindrance !== undefined) {
      return { code: 'auth', message: `${sentence(hindrance.message)} ${hindrance.advice}` };
    }
    if (key.type !== 'command') return await loadSpeaker(setup, deps);
    const printed = await runKeyCommand(key.command, deps);
    if (!printed.ok) {
      return { code: 'auth', message: `The program of providers.${name}.key_command ${printed.message}.` };
    }
    return await loadSpeaker({ ...setup, key: { type: 'value', value: printed.key } }, deps);
  } catch (error) {
    if (!(error instanceof LoomError)) throw error;
    return { code: 'failed', message: error.message };
  }
}

/** Loads the provider that speaks to a server of its kind. The code is loaded when such a server is asked. */
export async function loadSpeaker(setup: ProviderSetup, { clock, random, login }: LiveDependencies): Promise<Provider> {
  const { name, kind, baseURL, key, thoughts } = setup;
  const own = key.type === 'value' ? key.value : undefined;
  const deps = {
    id: name,
    clock,
    random,
    key: () => Promise.resolve(own),
    ...(baseURL === undefined ? {} : { baseURL }),
    secrets: secretsIn(setup),
    fetch: fetchFor(setup),
  };
  switch (kind) {
    case 'anthropic':
      return (await import('@loom/providers/anthropic')).createAnthropicProvider(deps);
    case 'google':
      return (await import('@loom/providers/google')).createGoogleProvider(deps);
    case 'openai':
    case 'openai-chat': {
      const { createOpenAIProvider } = await import('@loom/providers/openai');
      return createOpenAIProvider(deps, { api: kind === 'openai' ? 'responses' : 'chat' });
    }
    case 'chatgpt': {
      const { createPlanProvider } = await import('@loom/providers/openai-plan');
      return createPlanProvider({ ...deps, token: async () => (await login.account()).accessToken() });
    }
    case 'compatible': {
      const { createCompatibleProvider } = await import('@loom/providers/compatible');
      const thinkingOf = (model: string) => (Object.hasOwn(thoughts.of, model) ? thoughts.of[model] : thoughts.all);
      return createCompatibleProvider({ name, baseURL: baseURL ?? '', thinkingOf }, deps);
    }
  }
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
