import type { Catalogue } from '@loom/blocks';
import type { calcPrice, findProvider } from '@pydantic/genai-prices';
import { factsOfFamily } from './families.ts';
import { costAt, withOverride } from './model-facts.ts';
import type { ModelFacts, ModelOverride, ModelPrice, TokenCounts } from './model-facts.ts';
import { namesOf } from './model-names.ts';

/** The known facts about models: prices, windows, limits and abilities. */
export interface ModelCatalogue extends Catalogue {
  factsOf(provider: string, model: string): ModelFacts;
  /** Returns the chat models of a provider, by name; none if the provider is unknown. */
  modelsOf(provider: string): readonly string[];
  /** Returns true if the catalogue itself knows a model; another may exist nevertheless. */
  knows(provider: string, model: string): boolean;
  /** Returns the cost of a call in US dollars at the prices of its time, by default now; `undefined` if they are not known. */
  costOf(provider: string, model: string, used: TokenCounts, time?: number): number | undefined;
}

export interface CatalogueOptions {
  /** Returns the current time: prices change. */
  now: () => number;
  /** The user's facts about a model, by `<provider>/<model>`. */
  overrides?: Readonly<Record<string, ModelOverride>>;
  /** The facts that servers state about a model, by `<provider>/<model>`; they count where nothing else is known. */
  stated?: Readonly<Record<string, ModelOverride>>;
  /** Addresses of providers whose name is not known. */
  addresses?: Readonly<Record<string, string>>;
  /** Providers that cost nothing, because they run on this machine. */
  free?: readonly string[];
}

/** The functions of `@pydantic/genai-prices` that a catalogue uses. */
export interface PriceData {
  calcPrice: typeof calcPrice;
  findProvider: typeof findProvider;
}

/** Loads the data of the catalogue; it is large, so only commands that use a real model, or ask about one, wait for it. */
export async function loadCatalogue(options: CatalogueOptions): Promise<ModelCatalogue> {
  return createCatalogue(await import('@pydantic/genai-prices'), options);
}

/** Creates a catalogue over loaded data. Pure except for the clock. */
export function createCatalogue(data: PriceData, options: CatalogueOptions): ModelCatalogue {
  const { now, overrides = {}, stated = {}, addresses = {}, free = [] } = options;
  const listed = (provider: string): ReturnType<PriceData['findProvider']> => {
    const address = addresses[provider];
    const vendor = vendors[provider] ?? provider;
    const found =
      data.findProvider({ providerId: vendor }) ??
      (address === undefined ? undefined : data.findProvider({ providerApiUrl: address }));
    // The search also finds names that contain another one: `my-openai-proxy` is not openai.
    return found?.id === vendor || address !== undefined ? found : undefined;
  };
  // Finding a model goes through hundreds of patterns, and a usage list asks for few models very often.
  const found = new Map<string, FoundModel>();
  const find = (provider: string, model: string): FoundModel => {
    const key = JSON.stringify([provider, model]);
    const result = found.get(key) ?? findModel(data, listed(provider), model);
    found.set(key, result);
    return result;
  };
  const calculate = (provider: string, model: string, used: Record<string, number>, time = now()) => {
    const known = find(provider, model);
    if (known === undefined) return undefined;
    return data.calcPrice(used, known.model, { provider: known.provider, timestamp: new Date(time) }) ?? undefined;
  };
  const of = (list: typeof overrides, provider: string, model: string): ModelOverride | undefined => {
    const name = `${provider}/${model}`;
    return Object.hasOwn(list, name) ? list[name] : undefined;
  };
  const overrideOf = (provider: string, model: string): ModelOverride | undefined => of(overrides, provider, model);
  const factsOf = (provider: string, model: string): ModelFacts => {
    const known = calculate(provider, model, {});
    const context = known?.model.context_window;
    const price = free.includes(provider) ? { input: 0, output: 0 } : known && priceFrom(known.model_price);
    const facts: ModelFacts = {
      ...withOverride({}, of(stated, provider, model)),
      ...factsOfFamily(...familyName(provider, model)),
      ...(context === undefined ? {} : { context }),
      ...(price === undefined ? {} : { price }),
    };
    return withOverride(facts, overrideOf(provider, model));
  };
  return {
    factsOf,
    knows: (provider, model) => {
      // Only by the name that the provider itself takes.
      const known = find(provider, model);
      const [only] = known?.provider.models ?? [];
      return known?.model === model && only !== undefined && isServed(provider, only.id);
    },
    modelsOf: (provider) =>
      (listed(provider)?.models ?? []).filter((model) => isForTalking(provider, model)).map(({ id }) => id),
    capsOf(provider, model) {
      const { context, output } = factsOf(provider, model);
      return {
        ...(context === undefined ? {} : { contextWindow: context }),
        ...(output === undefined ? {} : { maxOutput: output }),
      };
    },
    costOf(provider, model, used, time) {
      const isOwn = free.includes(provider) || overrideOf(provider, model)?.price !== undefined;
      if (isOwn) {
        const { price } = factsOf(provider, model);
        return price && withoutNoise(costAt(price, used));
      }
      // The catalogue handles the tiers of long requests.
      const known = calculate(provider, model, countsFor(used), time);
      return known && priceFrom(known.model_price) && withoutNoise(known.total_price);
    },
  };
}

/** Providers that have the models of a vendor under its names. */
const vendors: Readonly<Record<string, string>> = { chatgpt: 'openai' };

/** Without the last digits, which stem from binary fractions. */
function withoutNoise(cost: number): number {
  return Number(cost.toPrecision(12));
}

function countsFor(used: TokenCounts): Record<string, number> {
  const { input_tokens, output_tokens, web_searches = 0 } = used;
  // The catalogue throws if a server reports more of a kind than the total.
  const cached_input_tokens = Math.min(used.cached_input_tokens ?? 0, input_tokens);
  const cache_write_tokens = Math.min(used.cache_write_tokens ?? 0, input_tokens - cached_input_tokens);
  const cache_write_1h_tokens = Math.min(used.cache_write_1h_tokens ?? 0, cache_write_tokens);
  return {
    input_tokens,
    output_tokens,
    ...(cached_input_tokens === 0 ? {} : { cache_read_tokens: cached_input_tokens }),
    ...(cache_write_tokens === 0 ? {} : { cache_write_tokens }),
    ...(cache_write_1h_tokens === 0 ? {} : { cache_write_1h_tokens }),
    ...(web_searches === 0 ? {} : { web_searches }),
  };
}

type FoundModel = { provider: NonNullable<ReturnType<PriceData['findProvider']>>; model: string } | undefined;

/** Returns the model by the first of its names that the catalogue knows, with a provider that has no other. */
function findModel(data: PriceData, provider: ReturnType<PriceData['findProvider']>, model: string): FoundModel {
  if (provider === undefined) return undefined;
  for (const name of namesOf(provider.id, model)) {
    const known = data.calcPrice({}, name, { provider });
    if (known) return { provider: { ...provider, models: [known.model] }, model: name };
  }
  return undefined;
}

type Prices = NonNullable<ReturnType<PriceData['calcPrice']>>['model_price'];

function priceFrom(prices: Prices): ModelPrice | undefined {
  const [input, output, cacheRead, cacheWrite] = [
    prices['input_mtok'],
    prices['output_mtok'],
    prices['cache_read_mtok'],
    prices['cache_write_mtok'],
  ].map((price) => (typeof price === 'object' ? price.base : price));
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** Returns the vendor and the name under which a family is looked up: routers put the vendor before the name, and some write versions with dots. */
function familyName(provider: string, model: string): [vendor: string, model: string] {
  const [, vendor = vendors[provider] ?? provider, name = model] = /^([^/]+)\/(.+)$/s.exec(model) ?? [];
  return [vendor, name.replaceAll('.', '-')];
}

/** Returns true for chat models. The catalogue has models for speech, images and search too, and old names of fine-tuned ones. */
function isForTalking(provider: string, { id, deprecated }: { id: string; deprecated?: boolean }): boolean {
  return isServed(provider, id) && deprecated !== true && !otherPurposes.test(id);
}

/** Returns true if Google's API serves the model: other vendors' models at Google are reached by another API. */
function isServed(provider: string, id: string): boolean {
  return provider !== 'google' || /^gem(?:ini|ma)-/.test(id);
}

const otherPurposes =
  /embed|tts|whisper|transcribe|realtime|audio|\blive\b|image|moderation|dall-e|computer-use|instruct|^ft:|\.ft-|^(?:ada|babbage|curie|davinci)$|^text-|-vision-preview/;
