import type { Clock } from '@loom/kernel';
import type { ModelOverride } from '@loom/providers/catalogue';
import type { FoundModel, ServerAddress } from '@loom/providers/compatible';
import { fetchFor } from './own-requests.ts';
import type { ProviderSetup } from './provider-setup.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** Providers with what servers of this machine say of themselves. */
export interface FoundServers {
  setups: readonly ProviderSetup[];
  /** Their reports on their models, by `<provider>/<model>`. */
  facts: Readonly<Record<string, ModelOverride>>;
}

/** Asks the servers on this machine for their models, all at once and for a moment only. */
export async function findServers(setups: readonly ProviderSetup[], clock: Clock): Promise<FoundServers> {
  const { discoverServers } = await import('@loom/providers/compatible');
  const asked = setups.flatMap((setup) => {
    const address = addressOf(setup);
    return address === undefined ? [] : [{ setup, address }];
  });
  const found = await Promise.all(
    asked.map(async ({ setup, address }) => {
      const [server] = await discoverServers({ fetch: fetchFor(setup), clock, addresses: [address] });
      return [setup.name, server] as const;
    }),
  );
  const servers = new Map(found);
  const facts: Record<string, ModelOverride> = {};
  return {
    facts,
    setups: setups.map((setup) => {
      if (!servers.has(setup.name)) return setup;
      const server = servers.get(setup.name);
      for (const model of server?.models ?? []) facts[`${setup.name}/${model.id}`] = factsFrom(model);
      const models = [...new Set([...setup.models, ...(server?.models ?? []).map(({ id }) => id)])];
      return { ...setup, models, ...(server === undefined && setup.isLocal ? { hindrance: notRunning(setup) } : {}) };
    }),
  };
}

/** Returns true for compatible servers on this machine, which are looked for at each list (MO24). */
export function isOnThisMachine({ kind, baseURL }: ProviderSetup): boolean {
  return kind === 'compatible' && loopback.test(URL.parse(baseURL ?? '')?.hostname ?? '');
}

function addressOf(setup: ProviderSetup): ServerAddress | undefined {
  const { name, baseURL, key } = setup;
  const url = URL.parse(baseURL ?? '');
  if (url === null || !isOnThisMachine(setup)) return undefined;
  return {
    origin: url.origin,
    kind: serverKinds[name] ?? 'other',
    ...(key.type === 'value' ? { key: key.value } : {}),
  };
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const serverKinds: Readonly<Record<string, ServerAddress['kind']>> = {
  ollama: 'ollama',
  'lm-studio': 'lm-studio',
  'llama-cpp': 'llama.cpp',
  vllm: 'vllm',
};

function notRunning({ name, baseURL = '' }: ProviderSetup): NonNullable<ProviderSetup['hindrance']> {
  return {
    code: 'not-running',
    message: `no server of ${name} answers at ${baseURL.replace(/\/v1$/, '')}`,
    advice: `Start it, or say where it is: ${suggest(`config set providers.${name}.baseURL http://…`)}`,
  };
}

function factsFrom({ contextWindow, takesImages, callsTools, thinks }: FoundModel): ModelOverride {
  return {
    ...(contextWindow === undefined ? {} : { context: contextWindow }),
    ...(takesImages === undefined ? {} : { images: takesImages }),
    ...(callsTools === undefined ? {} : { tools: callsTools }),
    ...(thinks === undefined ? {} : { thinking: thinks }),
  };
}
