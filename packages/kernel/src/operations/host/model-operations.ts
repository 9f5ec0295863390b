import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';
import { once } from '../../once.ts';
import { withOfferedModels, withOfferingProviders } from './offered-models.ts';

/**
 * Rows about the models that can be asked. The port that knows them is handed in: settings, catalogues and servers are not
 * the kernel's.
 */

const dollars = z.number().describe('US dollars per million tokens.');

const modelResult = once(() =>
  z.strictObject({
    name: z.string().describe('As people write it: anthropic/claude-sonnet-5.'),
    provider: z.string().describe('The provider to pass to turn.start.'),
    model: z.string().describe('The model to pass to turn.start.'),
    usable: z.boolean().describe('Whether it can be used now; provider.list says why not.'),
    older: z.boolean().exactOptional().describe('A newer model from the same vendor has replaced it.'),
    about: z.string().exactOptional().describe('A one-sentence description.'),
    context: z.int().exactOptional().describe('The context window in tokens, if known.'),
    output: z.int().exactOptional().describe('The longest answer, in tokens.'),
    images: z.boolean().exactOptional().describe('Whether it accepts images.'),
    files: z.boolean().exactOptional().describe('Whether it accepts PDF files.'),
    thinking: z.boolean().exactOptional(),
    tools: z.boolean().exactOptional().describe('Whether it can call tools.'),
    price: z
      .strictObject({
        input: dollars,
        output: dollars,
        cache_read: dollars.exactOptional(),
        cache_write: dollars.exactOptional(),
      })
      .exactOptional(),
  }),
);
export type ModelAnswer = z.infer<ReturnType<typeof modelResult>>;

const choices = z.array(z.strictObject({ name: z.string(), about: z.string().exactOptional() }));

const providerResult = once(() =>
  z.strictObject({
    name: z.string(),
    kind: z
      .string()
      .describe(
        'The API that its server speaks; agent for a program that says what it offers; demo for the built-in provider.',
      ),
    usable: z.boolean().describe('Whether it can be used now.'),
    hindrance: z
      .strictObject({
        code: z.enum(['no-key', 'no-address', 'not-running', 'missing', 'needs-login']),
        message: z.string().describe('Why it cannot be used.'),
      })
      .exactOptional(),
    problem: z
      .strictObject({
        code: z.enum(['key-refused', 'no-answer', 'unreadable']),
        message: z.string().describe('Why its list could not be read, and what to do.'),
      })
      .exactOptional()
      .describe('Why its current list of models could not be read. Models that are known anyway are listed instead.'),
    local: z
      .boolean()
      .describe('Whether it runs on this machine: then it needs no key, but its server must be running.'),
    address: z.string().exactOptional().describe('Its address, if not the usual one.'),
    key: z
      .enum(['none', 'file', 'environment', 'program', 'login'])
      .describe(
        'Where its key comes from; the key itself is never returned. login: a person logs in instead, see login.list.',
      ),
    models: z.int().describe('The number of its models that are known by name.'),
    usual_model: z.string().exactOptional().describe('The model used when only the provider is named.'),
    version: z.string().exactOptional().describe('The version of its program.'),
    remark: z.string().exactOptional().describe('A sentence about it, such as that its version was not tried.'),
    modes: choices.exactOptional().describe('The modes it offers.'),
    commands: choices.exactOptional().describe('The commands it offers.'),
  }),
);
export type ProviderAnswer = z.infer<ReturnType<typeof providerResult>>;

const keyCheck = once(() =>
  z.strictObject({
    state: z
      .enum(['works', 'wrong', 'unknown'])
      .describe('wrong: the provider rejected the key. unknown: the provider could not be reached.'),
    message: z.string().describe('The result in a sentence.'),
  }),
);
export type KeyCheck = z.infer<ReturnType<typeof keyCheck>>;

const answering = {
  model: z.string().exactOptional().describe('The model, as <provider>/<model>.'),
  n: z.int().describe('The number of answers to each message.'),
  settings: plainObject.describe('The settings to pass to turn.start.'),
};
const presetResult = once(() => z.strictObject({ name: z.string(), active: z.boolean(), ...answering }));
const presetsResult = once(() =>
  z.strictObject({
    items: z.array(presetResult()),
    defaults: z
      .strictObject({
        ...answering,
        system_prompt: z.string().exactOptional().describe('The system prompt of new conversations.'),
      })
      .describe('The values that apply without a preset.'),
  }),
);
export type PresetsAnswer = z.infer<ReturnType<typeof presetsResult>>;

/** A model in a list; its details are looked up when it is shown, since routers have hundreds. */
export interface ModelEntry {
  name: string;
  provider: string;
  usable: boolean;
  describe: () => ModelAnswer;
}

/** The reach of a list: `live` lists ask servers elsewhere for their models, with the user's keys; others use what such a list said last. */
export interface ListReach {
  live: boolean;
}

/** The port to models, their providers and keys. */
export interface ModelPort {
  /** All models, the usable ones first, and the name of the one that answers where none is named. */
  models(reach: ListReach): Promise<Outcome<{ models: readonly ModelEntry[]; usual?: string }>>;
  providers(reach: ListReach): Promise<Outcome<ProviderAnswer[]>>;
  presets(): Promise<Outcome<PresetsAnswer>>;
  /** Asks a provider whether it takes its key, or one that is given. */
  check(provider: string, key?: string): Promise<Outcome<KeyCheck>>;
  /** Keeps a key unless its provider says that it is wrong. */
  setKey(provider: string, key: string): Promise<Outcome<{ saved: boolean; check: KeyCheck }>>;
}

const live = z
  .boolean()
  .default(true)
  .describe('false: ask no server beyond this machine, and use what the last list heard from them. Default: true.');

export function modelOperations(port: ModelPort) {
  return [
    defineOperation({
      name: 'model.list',
      summary:
        'Lists the known models, usable ones first, with their context windows and prices. Providers, and servers and agents on this machine, are asked for their models.',
      params: () =>
        z.strictObject({
          provider: z.string().exactOptional().describe('Only models of this provider.'),
          query: z.string().max(200).exactOptional().describe('Only models whose names contain all these words.'),
          usable: z
            .boolean()
            .exactOptional()
            .describe('true: only models that can be used now; false: only those that cannot. Default: all.'),
          live,
          ...pageParams,
        }),
      result: () =>
        pageOf(modelResult()).extend({
          default: z.string().exactOptional().describe('The name of the model used when none is named.'),
        }),
      refusals: ['settings-failed'],
      effect: 'reads',
      run: async (engine, _caller, { provider, query = '', usable, live: isLive, ...page }) => {
        const [known, offering] = await Promise.all([port.models({ live: isLive }), engine.offers()]);
        if (!known.ok) return known;
        const { usual } = known.value;
        const models = withOfferedModels(known.value.models, offering);
        const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
        const found = models.filter(
          (entry) =>
            (provider === undefined || entry.provider === provider) &&
            (usable === undefined || entry.usable === usable) &&
            words.every((word) => entry.name.toLowerCase().includes(word)),
        );
        const { items, ...rest } = pageBehind(found, ({ name }) => name, page);
        const value = { items: items.map((entry) => entry.describe()), ...rest };
        return { ok: true, value: usual === undefined ? value : { ...value, default: usual } };
      },
    }),
    defineOperation({
      name: 'provider.list',
      summary:
        'Lists the model providers: whether each can be used now, where its key comes from, and why it cannot be used. Looks for servers on this machine, and asks the others for their models.',
      params: () => z.strictObject({ live }),
      result: () => z.strictObject({ items: z.array(providerResult()) }),
      refusals: ['settings-failed'],
      effect: 'reads',
      run: async (engine, _caller, { live: isLive }) => {
        const [found, offering] = await Promise.all([port.providers({ live: isLive }), engine.offers()]);
        return found.ok ? { ok: true, value: { items: withOfferingProviders(found.value, offering) } } : found;
      },
    }),
    defineOperation({
      name: 'provider.check',
      summary: 'Checks whether a provider accepts the key that is set for it, without calling a model.',
      params: () => z.strictObject({ provider: z.string().describe('The name of a provider, from provider.list.') }),
      result: () => keyCheck(),
      refusals: ['unknown-provider', 'settings-failed'],
      effect: 'reads',
      role: 'owner',
      run: async (_engine, _caller, { provider }) => port.check(provider),
    }),
    defineOperation({
      name: 'provider.set_key',
      summary:
        'Sets the key of a provider and checks it with the provider at once. A rejected key is not kept; a key that cannot be checked is.',
      params: () =>
        z.strictObject({
          provider: z.string().describe('The name of a provider, from provider.list.'),
          key: z
            .string()
            .trim()
            .regex(/^[\u0021-\u007e]{1,1000}$/u, 'must be 1 to 1000 visible ASCII characters')
            .describe('The key. It is stored in the settings of the data folder and sent only to its provider.'),
        }),
      result: () => z.strictObject({ saved: z.boolean(), check: keyCheck() }),
      refusals: ['unknown-provider', 'settings-failed'],
      effect: 'changes',
      role: 'owner',
      run: async (_engine, _caller, { provider, key }) => port.setKey(provider, key),
    }),
    defineOperation({
      name: 'preset.list',
      summary: 'Lists the presets in the form that turn.start takes, with the values that apply without one.',
      params: () => z.strictObject({}),
      result: () => presetsResult(),
      refusals: ['settings-failed'],
      effect: 'reads',
      run: async () => port.presets(),
    }),
  ] as const;
}
