import type { Config } from '../config/schema.ts';
import type { THOUGHT_FORMS } from '../config/settings.ts';
import { KEY_VARIABLES } from '../secrets.ts';
import { KNOWN_PROVIDERS, knownProvider, type KnownProvider, type ProviderKind } from './known-providers.ts';
import { planAddress, planProvider } from './plan-login.ts';
import { readAddress } from './provider-address.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** The connection settings of a provider, from the configuration. */
export interface ProviderSetup {
  name: string;
  kind: SetupKind;
  baseURL?: string;
  /** The headers and query of each request. */
  headers: Readonly<Record<string, string>>;
  query: string;
  /** The password of the address, if it has one. */
  password: string;
  /** Models that the person has named. */
  models: readonly string[];
  usualModel?: string;
  isLocal: boolean;
  /** The form in which the server wants back the thinking of its models, if the person says so: for all of them, and for some. */
  thoughts: { all?: ThoughtForm; of: Readonly<Record<string, ThoughtForm>> };
  key: KeySource;
  /** The reason it cannot be used, and advice. */
  hindrance?: Hindrance;
}

/** The API of a server, or a plan that pays for requests to one. */
export type SetupKind = ProviderKind | 'chatgpt';

export type KeySource =
  | { type: 'value'; value: string }
  | { type: 'command'; command: string | readonly string[] }
  /** Tokens of a person who has logged in. */
  | { type: 'login' }
  | { type: 'none' };

export interface Hindrance {
  code: 'no-key' | 'no-address' | 'not-running' | 'needs-login';
  message: string;
  advice: string;
}

/**
 * Returns every provider that Loom knows or the configuration names. One that a plan pays stands among them if the settings allow it; `loggedIn` names
 * those with a login.
 */
export function setUpProviders(config: Config, loggedIn: ReadonlySet<string> = new Set()): ProviderSetup[] {
  const own = Object.keys(config.providers).filter((name) => knownProvider(name) === undefined && name !== 'demo');
  return [...KNOWN_PROVIDERS, ...own.map((name) => ({ name }))].flatMap((known) => {
    if (known.name !== planProvider || config.providers[planProvider]?.kind !== undefined)
      return [setUp(known, config)];
    return config.providers[planProvider]?.plan === true ? [setUpPlan(config, loggedIn)] : [];
  });
}

/** The login decides whether it can be used; its address is that of the API that the tokens are for. */
function setUpPlan(config: Config, loggedIn: ReadonlySet<string>): ProviderSetup {
  const { baseURL = planAddress, models = [], headers = {} } = config.providers[planProvider] ?? {};
  const setup: ProviderSetup = {
    name: planProvider,
    kind: 'chatgpt',
    baseURL,
    headers,
    query: '',
    password: '',
    models,
    isLocal: false,
    thoughts: { of: {} },
    key: { type: 'login' },
  };
  if (loggedIn.has(planProvider)) return setup;
  const hindrance = {
    code: 'needs-login' as const,
    message: 'nobody is logged in with a ChatGPT plan',
    advice: `Log in: ${suggest(`login ${planProvider}`)}`,
  };
  return { ...setup, hindrance };
}

function setUp(known: Partial<KnownProvider> & { name: string }, config: Config): ProviderSetup {
  const { name } = known;
  const given = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  const kind = given?.kind ?? known.kind ?? 'compatible';
  const address = given?.baseURL ?? known.address;
  const place = address === undefined ? undefined : readAddress(kind, address);
  const key = keyFrom(given ?? {});
  const setup: ProviderSetup = {
    name,
    kind,
    ...(place === undefined ? {} : { baseURL: place.baseURL }),
    headers: {
      ...(place?.authorization === undefined ? {} : { authorization: place.authorization }),
      ...given?.headers,
    },
    query: place?.query ?? '',
    password: place?.password ?? '',
    models: given?.models ?? [],
    ...(known.usualModel === undefined ? {} : { usualModel: known.usualModel }),
    isLocal: known.isLocal ?? false,
    thoughts: thoughtsOf(name, config),
    key,
  };
  const hindrance =
    address !== undefined && place === undefined
      ? noAddress(name, `the address that is set for ${name} is no web address`)
      : findHindrance(setup, knownProvider(name) !== undefined);
  return hindrance === undefined ? setup : { ...setup, hindrance };
}

type ThoughtForm = (typeof THOUGHT_FORMS)[number];

function thoughtsOf(name: string, { providers, models }: Config): ProviderSetup['thoughts'] {
  const all = Object.hasOwn(providers, name) ? providers[name]?.thoughts : undefined;
  const own = Object.entries(models).flatMap(([model, { thoughts }]) => {
    const isOfServer = model.startsWith(`${name}/`) && thoughts !== undefined;
    return isOfServer ? [[model.slice(name.length + 1), thoughts] as const] : [];
  });
  return { of: Object.fromEntries(own), ...(all === undefined ? {} : { all }) };
}

function keyFrom({ apiKey, key_command: command }: Config['providers'][string]): KeySource {
  if (apiKey !== undefined) return { type: 'value', value: apiKey };
  return command === undefined ? { type: 'none' } : { type: 'command', command };
}

function findHindrance({ name, kind, baseURL, key, isLocal }: ProviderSetup, isKnown: boolean): Hindrance | undefined {
  if (kind === 'compatible' && baseURL === undefined) {
    return noAddress(name, `it is not said where ${name} is reached`);
  }
  // A user's own server may need no key.
  const needsKey = isKnown ? !isLocal : kind !== 'compatible';
  if (!needsKey || key.type !== 'none') return undefined;
  return { code: 'no-key', message: `there is no key for ${name}`, advice: adviceForKey(name) };
}

function noAddress(name: string, message: string): Hindrance {
  return {
    code: 'no-address',
    message,
    advice: `Set it: ${suggest(`config set providers.${name}.baseURL https://…`)}`,
  };
}

/** Tells how to give a provider its key. */
function adviceForKey(name: string): string {
  const variable = KEY_VARIABLES.find(({ provider }) => provider === name)?.variable;
  const command = suggest(`config set providers.${name}.apiKey -`);
  return variable === undefined ? `Set one: ${command}` : `Set ${variable}, or: ${command}`;
}
