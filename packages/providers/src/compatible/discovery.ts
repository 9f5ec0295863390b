import type { Clock } from '@loom/kernel';
import {
  readModelList,
  readOllamaLoaded,
  readOllamaModel,
  readOllamaTags,
  readStudioList,
  withLlamaProps,
} from './server-lists.ts';
import type { FoundModel } from './server-lists.ts';

/** A program that serves models by OpenAI's chat completions. */
export type ServerKind = 'ollama' | 'lm-studio' | 'llama.cpp' | 'vllm' | 'other';

/** An address to probe, and the kind of server expected there. */
export interface ServerAddress {
  /** Without a path, such as `http://127.0.0.1:11434`. */
  origin: string;
  kind: ServerKind;
  key?: string;
}

/** A server that answered, and its models. */
export interface FoundServer {
  kind: ServerKind;
  /** The address of its compatible interface, such as `http://127.0.0.1:11434/v1`. */
  baseURL: string;
  models: FoundModel[];
}

export interface DiscoveryDependencies {
  fetch: typeof globalThis.fetch;
  clock: Clock;
  /** Instead of the well-known ones. */
  addresses?: readonly ServerAddress[];
  /** The longest time for all requests to a server. */
  timeout?: number;
}

/** The default addresses of model servers. */
export const wellKnownAddresses: readonly ServerAddress[] = [
  { origin: 'http://127.0.0.1:11434', kind: 'ollama' },
  { origin: 'http://127.0.0.1:1234', kind: 'lm-studio' },
  { origin: 'http://127.0.0.1:8080', kind: 'llama.cpp' },
  { origin: 'http://127.0.0.1:8000', kind: 'vllm' },
];

/** Servers on loopback answer at once; a silent port is not waited for. */
const patience = 400;

/** Probes all addresses at once. A server that does not answer in time, or not like a model server, is left out. */
export async function discoverServers(dependencies: DiscoveryDependencies): Promise<FoundServer[]> {
  const { addresses = wellKnownAddresses } = dependencies;
  const found = await Promise.all(addresses.map((address) => probe(address, dependencies)));
  return found.filter((server) => server !== undefined);
}

/** Returns `undefined` for everything but JSON. */
type Ask = (path: string, body?: unknown) => Promise<unknown>;

async function probe(address: ServerAddress, dependencies: DiscoveryDependencies): Promise<FoundServer | undefined> {
  const { clock, timeout = patience } = dependencies;
  const controller = new AbortController();
  const cancel = clock.after(timeout, () => controller.abort());
  try {
    const ask = askAt(address, dependencies.fetch, controller.signal);
    const found = await (address.kind === 'ollama' ? lookForOllama(ask) : lookForOthers(address.kind, ask));
    return found === undefined ? undefined : { ...found, baseURL: `${address.origin}/v1` };
  } finally {
    cancel();
  }
}

function askAt({ origin, key }: ServerAddress, fetch: typeof globalThis.fetch, signal: AbortSignal): Ask {
  return async (path, body) => {
    try {
      const response = await fetch(`${origin}${path}`, {
        signal,
        redirect: 'error',
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      if (response.ok) return await response.json();
      await response.body?.cancel();
      return undefined;
    } catch {
      return undefined;
    }
  };
}

type Found = Pick<FoundServer, 'kind' | 'models'>;

async function lookForOllama(ask: Ask): Promise<Found | undefined> {
  const [tags, ps] = await Promise.all([ask('/api/tags'), ask('/api/ps')]);
  const names = readOllamaTags(tags);
  if (names === undefined) return lookForOthers('other', ask);
  const loaded = readOllamaLoaded(ps);
  const models = await Promise.all(
    names.map(async (model) => readOllamaModel(model, await ask('/api/show', { model }), loaded.get(model))),
  );
  return { kind: 'ollama', models: models.filter((model) => model !== undefined) };
}

async function lookForOthers(expected: ServerKind, ask: Ask): Promise<Found | undefined> {
  const list = readModelList(await ask('/v1/models'));
  if (list === undefined) return undefined;
  const kind = kindByOwner(list.owner) ?? (expected === 'lm-studio' ? expected : 'other');
  switch (kind) {
    case 'lm-studio':
      return { kind, models: readStudioList(await ask('/api/v0/models')) ?? list.models };
    case 'llama.cpp':
      return { kind, models: withLlamaProps(list.models, await ask('/props')) };
    default:
      return { kind, models: list.models };
  }
}

/** Ports prove nothing; a server's facts about its models do. */
function kindByOwner(owner: string | undefined): ServerKind | undefined {
  switch (owner) {
    case 'llamacpp':
      return 'llama.cpp';
    case 'vllm':
      return 'vllm';
    case 'library':
      return 'ollama';
    case 'organization_owner':
      return 'lm-studio';
    default:
      return undefined;
  }
}
