import type { ModelAnswer, ModelEntry, ModelPort, Outcome, PresetsAnswer, ProviderAnswer } from '@loom/kernel';
import { refuse } from '@loom/kernel';
import { turnSettings } from '../config/turn-settings.ts';
import { formatKey, readConfig, setConfigValue } from '../config/index.ts';
import type { ConfigEntry } from '../config/index.ts';
import type { Config } from '../config/schema.ts';
import { writeFailure } from '../commands/config/config-write.ts';
import { runKeyCommand } from '../models/key-command.ts';
import type { ListedModel, ListedProvider } from '../models/model-list.ts';
import type { Models } from '../models/models.ts';
import { setUpProviders, type ProviderSetup } from '../models/provider-setup.ts';
import { nameOfUsual } from '../models/usual-name.ts';
import { checkKey } from './key-check.ts';
import { withSettings } from './settings-refusal.ts';

/** Returns the port for the operations about models, which does the same as `loom models`. */
export function modelPort(models: Models): ModelPort {
  const { dataDir, env } = models.source;
  const settled = <T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> => withSettings(dataDir, work);
  const withSetup = <T>(name: string, work: (setup: ProviderSetup) => Promise<Outcome<T>>): Promise<Outcome<T>> =>
    settled(async () => {
      // A login takes no key.
      const setups = setUpProviders((await readConfig({ dataDir, env })).config).filter(
        ({ key }) => key.type !== 'login',
      );
      const setup = setups.find((known) => known.name === name);
      if (setup !== undefined) return work(setup);
      return refuse({ reason: 'unknown-provider', provider: name, providers: setups.map((known) => known.name) });
    });
  return {
    models: (reach) =>
      settled(async () => {
        const entries = (await models.overview(reach)).flatMap(entriesOf);
        const { default: usual } = await nameOfUsual(models);
        return { ok: true, value: { models: entries, ...(usual === undefined ? {} : { usual }) } };
      }),
    providers: (reach) =>
      settled(async () => {
        const { entries } = await readConfig({ dataDir, env });
        return { ok: true, value: (await models.overview(reach)).map((listed) => describeProvider(listed, entries)) };
      }),
    presets: () =>
      settled(async () => ({ ok: true, value: describePresets((await readConfig({ dataDir, env })).config) })),
    check: (name) =>
      withSetup(name, async (setup) => {
        const { key } = setup;
        if (key.type !== 'command') {
          return { ok: true, value: await checkKey(setup, key.type === 'value' ? key.value : undefined) };
        }
        const printed = await runKeyCommand(key.command, { env });
        if (printed.ok) return { ok: true, value: await checkKey(setup, printed.key) };
        return {
          ok: true,
          value: { state: 'unknown', message: `The program that prints the key ${printed.message}.` },
        };
      }),
    setKey: (name, key) =>
      withSetup(name, async (setup) => {
        const check = await checkKey(setup, key);
        const saved = check.state !== 'wrong';
        if (saved) await saveKey(models, name, key);
        return { ok: true, value: { saved, check } };
      }),
  };
}

async function saveKey(models: Models, provider: string, key: string): Promise<void> {
  const { dataDir } = models.source;
  const path = ['providers', provider, 'apiKey'];
  const result = await setConfigValue({ dataDir }, path, key);
  if (!result.ok) throw writeFailure(formatKey(path), dataDir, result.refusal);
  await models.load();
}

function entriesOf({ name: provider, hindrance, models }: ListedProvider): ModelEntry[] {
  const usable = hindrance === undefined;
  return models.map((listed) => ({
    name: listed.name,
    provider,
    usable,
    describe: () => describeModel(provider, usable, listed),
  }));
}

function describeModel(provider: string, usable: boolean, listed: ListedModel): ModelAnswer {
  const { name, model, isOlder, facts, about } = listed;
  const { price, ...known } = facts();
  const prices = price && {
    input: price.input,
    output: price.output,
    ...(price.cacheRead === undefined ? {} : { cache_read: price.cacheRead }),
    ...(price.cacheWrite === undefined ? {} : { cache_write: price.cacheWrite }),
  };
  const words = provider === 'demo' ? { about: about() } : {};
  const older = isOlder ? { older: true } : {};
  return { name, provider, model, usable, ...older, ...words, ...known, ...(prices && { price: prices }) };
}

function describeProvider(
  { name, setup, problem, models }: ListedProvider,
  entries: readonly ConfigEntry[],
): ProviderAnswer {
  if (setup === undefined) return { name, kind: 'demo', usable: true, local: true, key: 'none', models: models.length };
  const { kind, hindrance, isLocal, baseURL, usualModel } = setup;
  return {
    name,
    kind,
    usable: hindrance === undefined,
    ...(hindrance === undefined ? {} : { hindrance: { code: hindrance.code, message: hindrance.message } }),
    ...(problem === undefined ? {} : { problem: { ...problem } }),
    local: isLocal,
    ...(baseURL === undefined ? {} : { address: baseURL }),
    key: originOfKey(setup, entries),
    models: models.length,
    ...(usualModel === undefined ? {} : { usual_model: usualModel }),
  };
}

function originOfKey({ name, key }: ProviderSetup, entries: readonly ConfigEntry[]): ProviderAnswer['key'] {
  if (key.type === 'login') return 'login';
  if (key.type !== 'value') return key.type === 'command' ? 'program' : 'none';
  const entry = entries.find(
    ({ path: [first, provider, field] }) => first === 'providers' && provider === name && field === 'apiKey',
  );
  return entry?.origin.type === 'environment' ? 'environment' : 'file';
}

function describePresets(config: Config): PresetsAnswer {
  const { defaults, presets, activePresetName } = config;
  const answering = (values: Config['presets'][string]) => {
    const { model, n = defaults.n } = { ...defaults, ...values };
    return { ...(model === undefined ? {} : { model }), n, settings: turnSettings(config, values) };
  };
  const { systemPrompt } = defaults;
  return {
    items: Object.entries(presets).map(([name, values]) => ({
      name,
      active: name === activePresetName,
      ...answering(values),
    })),
    defaults: { ...answering({}), ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }) },
  };
}
