import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';

/** Rows about the models that can be asked. What knows them is handed in: settings, catalogues and servers are not the kernel's. */

const dollars = z.number().describe('US dollars per million tokens.');

const modelResult = z.strictObject({
  name: z.string().describe('As people write it: anthropic/claude-sonnet-5.'),
  provider: z.string().describe('What turn.start takes as provider.'),
  model: z.string().describe('What turn.start takes as model.'),
  usable: z.boolean().describe('Whether it can be asked now; provider.list says why not.'),
  older: z.boolean().exactOptional().describe('A newer model of its vendor has taken its place.'),
  about: z.string().exactOptional().describe('What it is, in a sentence.'),
  context: z.int().exactOptional().describe('How many tokens it can read and say at once, where that is known.'),
  output: z.int().exactOptional().describe('The longest answer, in tokens.'),
  images: z.boolean().exactOptional().describe('Whether it can be shown images.'),
  files: z.boolean().exactOptional().describe('Whether it can be shown PDF files.'),
  thinking: z.boolean().exactOptional(),
  tools: z.boolean().exactOptional().describe('Whether it calls tools.'),
  price: z
    .strictObject({
      input: dollars,
      output: dollars,
      cache_read: dollars.exactOptional(),
      cache_write: dollars.exactOptional(),
    })
    .exactOptional(),
});
export type ModelAnswer = z.infer<typeof modelResult>;

const providerResult = z.strictObject({
  name: z.string(),
  kind: z.string().describe('What its server speaks; demo for the built-in one.'),
  usable: z.boolean().describe('Whether it can be asked now.'),
  hindrance: z
    .strictObject({
      code: z.enum(['no-key', 'no-address', 'not-running']),
      message: z.string().describe('What keeps it from being asked.'),
    })
    .exactOptional(),
  local: z.boolean().describe('It runs on this machine: it needs no key, but it has to be running.'),
  address: z.string().exactOptional().describe('Where it is reached, if not at its usual place.'),
  key: z
    .enum(['none', 'file', 'environment', 'program'])
    .describe('Where its key comes from; the key itself is never told.'),
  models: z.int().describe('How many of its models are known by name.'),
  usual_model: z.string().exactOptional().describe('The model that answers where only the provider is named.'),
});
export type ProviderAnswer = z.infer<typeof providerResult>;

const keyCheck = z.strictObject({
  state: z
    .enum(['works', 'wrong', 'unknown'])
    .describe('wrong: the provider does not take the key. unknown: the provider could not be asked.'),
  message: z.string().describe('The same in a sentence.'),
});
export type KeyCheck = z.infer<typeof keyCheck>;

const answering = {
  model: z.string().exactOptional().describe('The model, as <provider>/<model>.'),
  n: z.int().describe('How many answers to each message.'),
  settings: plainObject.describe('What turn.start takes as settings.'),
};
const presetResult = z.strictObject({ name: z.string(), active: z.boolean(), ...answering });
const presetsResult = z.strictObject({
  items: z.array(presetResult),
  defaults: z
    .strictObject({ ...answering, system_prompt: z.string().exactOptional().describe('Of new conversations.') })
    .describe('What holds without a preset.'),
});
export type PresetsAnswer = z.infer<typeof presetsResult>;

/** A model in a list; what is known of it is looked up when it is shown, since routers have hundreds. */
export interface ModelEntry {
  name: string;
  provider: string;
  usable: boolean;
  describe: () => ModelAnswer;
}

/** What knows models, their providers and keys. */
export interface ModelPort {
  /** All models, the usable ones first, and the name of the one that answers where none is named. */
  models(): Promise<Outcome<{ models: readonly ModelEntry[]; usual?: string }>>;
  providers(): Promise<Outcome<ProviderAnswer[]>>;
  presets(): Promise<Outcome<PresetsAnswer>>;
  /** Asks a provider whether it takes its key, or one that is given. */
  check(provider: string, key?: string): Promise<Outcome<KeyCheck>>;
  /** Keeps a key unless its provider says that it is wrong. */
  setKey(provider: string, key: string): Promise<Outcome<{ saved: boolean; check: KeyCheck }>>;
}

export function modelOperations(port: ModelPort) {
  return [
    defineOperation({
      name: 'model.list',
      summary:
        'Lists the models that are known, those that can be asked now first, with their context windows and prices. Servers on this machine are asked for theirs.',
      params: z.strictObject({
        provider: z.string().exactOptional().describe('Only those of this provider.'),
        query: z.string().max(200).exactOptional().describe('Only those whose names have all these words in them.'),
        usable: z.boolean().exactOptional().describe('Only those that can be asked now, or that cannot. Default: all.'),
        ...pageParams,
      }),
      result: pageOf(modelResult).extend({
        default: z.string().exactOptional().describe('The name of the model that answers where none is named.'),
      }),
      refusals: ['settings-failed'],
      effect: 'reads',
      run: async (_engine, _caller, { provider, query = '', usable, ...page }) => {
        const known = await port.models();
        if (!known.ok) return known;
        const { models, usual } = known.value;
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
        'Lists the providers of models: whether each can be asked now, where its key comes from, and what keeps it from being asked. Servers on this machine are looked for.',
      params: z.strictObject({}),
      result: z.strictObject({ items: z.array(providerResult) }),
      refusals: ['settings-failed'],
      effect: 'reads',
      run: async () => {
        const found = await port.providers();
        return found.ok ? { ok: true, value: { items: found.value } } : found;
      },
    }),
    defineOperation({
      name: 'provider.check',
      summary: 'Asks a provider whether it takes the key that is set for it, without asking a model.',
      params: z.strictObject({ provider: z.string().describe('The name of a provider, as provider.list has it.') }),
      result: keyCheck,
      refusals: ['unknown-provider', 'settings-failed'],
      effect: 'reads',
      role: 'owner',
      run: async (_engine, _caller, { provider }) => port.check(provider),
    }),
    defineOperation({
      name: 'provider.set_key',
      summary:
        'Sets the key of a provider and asks the provider at once whether it takes it. A key that it does not take is not kept; one that cannot be checked is.',
      params: z.strictObject({
        provider: z.string().describe('The name of a provider, as provider.list has it.'),
        key: z
          .string()
          .trim()
          .regex(/^[\u0021-\u007e]{1,1000}$/u, 'must be 1 to 1000 visible ASCII characters')
          .describe('The key. It is kept in the settings of the data folder, and only its provider is told it.'),
      }),
      result: z.strictObject({ saved: z.boolean(), check: keyCheck }),
      refusals: ['unknown-provider', 'settings-failed'],
      effect: 'changes',
      role: 'owner',
      run: async (_engine, _caller, { provider, key }) => port.setKey(provider, key),
    }),
    defineOperation({
      name: 'preset.list',
      summary: 'Lists the presets of the settings as turn.start takes them, with what holds without one.',
      params: z.strictObject({}),
      result: presetsResult,
      refusals: ['settings-failed'],
      effect: 'reads',
      run: async () => port.presets(),
    }),
  ] as const;
}
