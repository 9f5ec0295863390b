import type { Catalogue } from '@loom/blocks';
import type { Clock, EngineOptions, ListReach, Provider } from '@loom/kernel';
import type { ModelCatalogue, ModelOverride } from '@loom/providers/catalogue';
import { readConfig } from '../config/index.ts';
import type { Config } from '../config/schema.ts';
import { chooseAgent, vendorOfAgent } from './agents/agents.ts';
import { chooseModel, isKnownAlone, usualModel, type ModelScope } from './choose-model.ts';
import { demoModel, type ChosenModel } from './demo-model.ts';
import { listDemo, listProviders, type ListedModel, type ListedProvider } from './model-list.ts';
import { KNOWN_PROVIDERS } from './known-providers.ts';
import { createLiveLists, statedFacts, type LiveLists } from './live-lists.ts';
import { createLiveProvider, loadSpeaker, type LiveProvider } from './live-provider.ts';
import { findServers, type FoundServers } from './local-servers.ts';
import { createPlanLogin, planProvider } from './plan-login.ts';
import type { PlanLogin } from './plan-login.ts';
import { setUpProviders, type ProviderSetup } from './provider-setup.ts';
import { suggest } from '../command-line/suggested-command.ts';

export interface ModelsOptions {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Spreads retries. */
  random?: () => number;
}

/** The models that the configuration and the environment give a person, looked up anew for each call of one. */
export interface Models {
  /** The source of the settings. */
  readonly source: Pick<ModelsOptions, 'dataDir' | 'env'>;
  /** The login with a ChatGPT plan. */
  readonly login: PlanLogin;
  /** One for each provider that is known or was configured when the configuration was last loaded, the demo aside. */
  providers(): readonly Provider[];
  /** Reads the configuration again. */
  load(): Promise<Config>;
  /** Reads the configuration alone. */
  config(): Promise<Config>;
  catalogue(): Promise<ModelCatalogue>;
  /** The limits of models, for the kernel: the catalogue is loaded when it asks about a real one. */
  limits: Catalogue;
  tokenizer: NonNullable<EngineOptions['tokenizer']>;
  /** Returns all providers with their models, and the reasons some cannot be used. */
  overview(reach: ListReach): Promise<ListedProvider[]>;
  /** The models that can be asked now. */
  list(reach: ListReach): Promise<ListedModel[]>;
  /** The names of those that were last listed. */
  names(): readonly string[];
  /** Returns the model of this name, or the default one. Refuses a model that cannot be used, with the next step. */
  choose(name: string | undefined): Promise<ChosenModel>;
}

export function createModels(options: ModelsOptions): Models {
  const { dataDir, env, clock, random = Math.random } = options;
  const live = new Map<string, LiveProvider>();
  // The last reports of servers on this machine about their models.
  let said: FoundServers['facts'] = {};
  let listed = listDemo();
  const read = async (): Promise<Config> => (await readConfig({ dataDir, env })).config;
  const login = createPlanLogin({ dataDir, clock, config: read });
  const setUp = async (config: Config): Promise<ProviderSetup[]> =>
    setUpProviders(config, await login.loggedIn(config));
  const setups = async (): Promise<ProviderSetup[]> => setUp(await read());
  const catalogueOf = async (config: Config): Promise<ModelCatalogue> =>
    openCatalogue(config, { said, lists, setups: await setUp(config), clock });
  const catalogue = async (): Promise<ModelCatalogue> => catalogueOf(await read());
  const deps = { env, clock, random, setups, catalogue, login };
  const provide = (name: string): LiveProvider => {
    const provider = live.get(name) ?? createLiveProvider(name, deps);
    live.set(name, provider);
    return provider;
  };
  for (const { name } of KNOWN_PROVIDERS) provide(name);
  const lists = createLiveLists((setup) => provide(setup.name).list(setup), clock);
  const load = async (): Promise<Config> => {
    const config = await read();
    for (const setup of await setUp(config)) {
      const provider = provide(setup.name);
      if (setup.hindrance === undefined && setup.key.type === 'value') provider.use(await loadSpeaker(setup, deps));
    }
    return config;
  };
  /** Returns all providers, with the reports of the servers on this machine. */
  const scopeWithServers = async (config: Config): Promise<ModelScope & { catalogue: ModelCatalogue }> => {
    const found = await findServers(await setUp(config), clock);
    said = { ...said, ...found.facts };
    return { setups: found.setups, catalogue: await catalogueOf(config) };
  };
  const overview = async ({ live: isLive }: ListReach): Promise<ListedProvider[]> => {
    const config = await read();
    if (isLive && config.defaults.liveModels !== false) await lists.ask(await setUp(config));
    const { setups: known, catalogue: facts } = await scopeWithServers(config);
    return listProviders(known, facts, lists);
  };
  return {
    source: { dataDir, env },
    login,
    providers: () => [...live.values()],
    load,
    config: read,
    catalogue,
    limits: {
      async capsOf(provider, model) {
        if (provider !== 'demo') return (await catalogue()).capsOf(provider, model);
        const { context, output } = (await readConfig({ dataDir, env })).config.models[`demo/${model}`] ?? {};
        if (context === undefined && output === undefined) return undefined;
        return {
          ...(context === undefined ? {} : { contextWindow: context }),
          ...(output === undefined ? {} : { maxOutput: output }),
        };
      },
      async priceOf(provider, model) {
        return provider === 'demo' ? undefined : (await catalogue()).factsOf(provider, model).price;
      },
      async pricing() {
        const prices = await catalogue();
        return ({ provider, model, time, ...used }) => {
          if (provider === 'demo') return 0;
          const vendor = vendorOfAgent(provider);
          return (
            prices.costOf(provider, model, used, time) ??
            (vendor === undefined ? undefined : prices.costOf(vendor, model, used, time))
          );
        };
      },
    },
    async tokenizer(provider, model) {
      const kind = (await setups()).find(({ name }) => name === provider)?.kind;
      if (kind !== 'openai' && kind !== 'openai-chat' && kind !== 'chatgpt') return undefined;
      return (await import('@loom/providers/tokens')).findTokenizer('openai', model);
    },
    overview,
    async list(reach) {
      listed = (await overview(reach)).flatMap(({ hindrance, models }) => (hindrance === undefined ? models : []));
      return listed;
    },
    names: () => listed.map(({ name }) => name),
    async choose(name) {
      const config = await load();
      const wanted = name ?? config.defaults.model;
      const known = await setUp(config);
      if (wanted === undefined) return usualModel({ setups: known }) ?? { ...demoModel(), remark: setUpHint() };
      // The demo needs no catalogue, which takes a moment to load, and no server.
      if (/^demo(?:[:/]|$)/.test(wanted)) return chooseModel(wanted, { setups: [], catalogue: emptyCatalogue });
      const agent = chooseAgent(wanted);
      if (agent !== undefined) return agent;
      const [first = ''] = wanted.split(/[:/]/, 1);
      const isElsewhere = known.some((setup) => setup.name === first && !setup.isLocal);
      const scope = { setups: known, catalogue: await catalogueOf(config) };
      const chosen = isElsewhere || isKnownAlone(wanted, scope) ? scope : await scopeWithServers(config);
      return chooseModel(wanted, chosen);
    },
  };
}

const emptyCatalogue = { modelsOf: () => [], knows: () => false };

const setUpHint = (): string =>
  `No model is set up, so the demo answers. ${suggest('models')} says how to use a real one.`;

async function openCatalogue(
  config: Config,
  {
    setups,
    said,
    lists,
    clock,
  }: { setups: readonly ProviderSetup[]; said: FoundServers['facts']; lists: LiveLists; clock: Clock },
): Promise<ModelCatalogue> {
  const { loadCatalogue } = await import('@loom/providers/catalogue');
  const addresses = setups.flatMap(({ name, baseURL }) => (baseURL === undefined ? [] : [[name, baseURL] as const]));
  return loadCatalogue({
    now: () => clock.now(),
    overrides: { ...said, ...Object.fromEntries(Object.entries(config.models).map(ownWords(said))) },
    stated: statedFacts(setups, lists),
    addresses: Object.fromEntries(addresses),
    // A plan is paid as a whole.
    free: [...setups.filter(({ isLocal }) => isLocal).map(({ name }) => name), planProvider],
  });
}

/** Merges a person's settings for a model with the reports of its server; the settings win. */
function ownWords(said: FoundServers['facts']): (entry: [string, ModelSetting]) => [string, ModelOverride] {
  return ([name, model]) => [name, { ...(Object.hasOwn(said, name) ? said[name] : {}), ...overrideFrom(model) }];
}

type ModelSetting = Config['models'][string];

function overrideFrom(model: ModelSetting): ModelOverride {
  const { context, output, images, files, thinking, tools } = model;
  const facts = { context, output, images, files, thinking, tools };
  const price = {
    input: model.input_price,
    output: model.output_price,
    cacheRead: model.cache_read_price,
    cacheWrite: model.cache_write_price,
  };
  const isPriced = Object.values(price).some((amount) => amount !== undefined);
  return { ...given(facts), ...(isPriced ? { price: given(price) } : {}) };
}

/** Drops the undefined fields of a record. */
function given<T extends Record<string, unknown>>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> };
function given(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
