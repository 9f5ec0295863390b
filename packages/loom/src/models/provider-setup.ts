import type { Config } from '../config/schema.ts';
import { KEY_VARIABLES } from '../secrets.ts';
import { KNOWN_PROVIDERS, knownProvider, type KnownProvider, type ProviderKind } from './known-providers.ts';

/** How a provider is reached, as the configuration has it. */
export interface ProviderSetup {
  name: string;
  kind: ProviderKind;
  baseURL?: string;
  headers: Readonly<Record<string, string>>;
  /** Models that the person has named. */
  models: readonly string[];
  usualModel?: string;
  isLocal: boolean;
  key: KeySource;
  /** Why it cannot be used, and what to do about it. */
  hindrance?: Hindrance;
}

export type KeySource =
  | { type: 'value'; value: string }
  | { type: 'command'; command: string | readonly string[] }
  | { type: 'none' };

export interface Hindrance {
  code: 'no-key' | 'no-address' | 'not-running';
  message: string;
  advice: string;
}

/** Every provider that Loom knows or the configuration names. */
export function setUpProviders(config: Config): ProviderSetup[] {
  const own = Object.keys(config.providers).filter((name) => knownProvider(name) === undefined && name !== 'demo');
  return [...KNOWN_PROVIDERS, ...own.map((name) => ({ name }))].map((known) => setUp(known, config));
}

function setUp(known: Partial<KnownProvider> & { name: string }, config: Config): ProviderSetup {
  const { name } = known;
  const given = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  const kind = given?.kind ?? known.kind ?? 'compatible';
  const address = given?.baseURL ?? known.address;
  const key = keyFrom(given ?? {});
  const setup: ProviderSetup = {
    name,
    kind,
    ...(address === undefined ? {} : { baseURL: completeAddress(kind, address) }),
    headers: given?.headers ?? {},
    models: given?.models ?? [],
    ...(known.usualModel === undefined ? {} : { usualModel: known.usualModel }),
    isLocal: known.isLocal ?? false,
    key,
  };
  const hindrance = findHindrance(setup, knownProvider(name) !== undefined);
  return hindrance === undefined ? setup : { ...setup, hindrance };
}

function keyFrom({ apiKey, key_command: command }: Config['providers'][string]): KeySource {
  if (apiKey !== undefined) return { type: 'value', value: apiKey };
  return command === undefined ? { type: 'none' } : { type: 'command', command };
}

function findHindrance({ name, kind, baseURL, key, isLocal }: ProviderSetup, isKnown: boolean): Hindrance | undefined {
  if (kind === 'compatible' && baseURL === undefined) {
    return {
      code: 'no-address',
      message: `it is not said where ${name} is reached`,
      advice: `Set it: loom config set providers.${name}.baseURL https://…`,
    };
  }
  // A server of one's own may need no key.
  const needsKey = isKnown ? !isLocal : kind !== 'compatible';
  if (!needsKey || key.type !== 'none') return undefined;
  return { code: 'no-key', message: `there is no key for ${name}`, advice: adviceForKey(name) };
}

/** How a key is given to a provider. */
function adviceForKey(name: string): string {
  const variable = KEY_VARIABLES.find(({ provider }) => provider === name)?.variable;
  const command = `loom config set providers.${name}.apiKey -`;
  return variable === undefined ? `Set one: ${command}` : `Set ${variable}, or: ${command}`;
}

/**
 * The address as the SDK wants it, with the version of the API. The vendors' own tools leave the version out (Anthropic, Google) or have it
 * in (OpenAI), and people copy addresses from both.
 */
function completeAddress(kind: ProviderKind, address: string): string {
  // OLLAMA_HOST has no scheme, and may be what the server listens on.
  const whole = /^https?:\/\//i.test(address) ? address : `http://${address.replace(/^0\.0\.0\.0/, '127.0.0.1')}`;
  const plain = whole.replace(/\/+$/, '');
  const path = URL.parse(plain)?.pathname ?? '/';
  if (kind === 'anthropic') return /\/v\d+$/.test(path) ? plain : `${plain}/v1`;
  if (kind === 'google') return /\/v\d+(?:alpha|beta)?$/.test(path) ? plain : `${plain}/v1beta`;
  return path === '/' ? `${plain}/v1` : plain;
}
