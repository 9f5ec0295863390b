import type { NamedModel, TitleModelPort } from '@loom/kernel';
import { LoomError } from '../command-line/failure.ts';
import { isAgent } from './agents/agents.ts';
import type { ListedModel, ListedProvider } from './model-list.ts';
import type { Models } from './models.ts';

/**
 * Chooses the models that find titles: the one that the settings name, else the least expensive current one of the provider that is asked
 * anyway, so that no other company reads along. The demo and agents find none on their own.
 */
export function titleModels(
  models: Pick<Models, 'config' | 'choose' | 'overview'>,
  isServing: boolean,
): TitleModelPort {
  /** Returns the model that the settings name; `undefined` if it cannot be used. */
  const named = async (name: string | undefined): Promise<NamedModel | undefined> => {
    try {
      const { provider, model } = await models.choose(name);
      return { provider, model };
    } catch (error) {
      if (error instanceof LoomError) return undefined;
      throw error;
    }
  };
  const leastExpensiveOf = async (provider: string): Promise<NamedModel | undefined> => {
    const listed = (await models.overview({ live: false })).find(({ name }) => name === provider);
    const model = listed && leastExpensive(listed);
    return model === undefined ? undefined : { provider, model };
  };
  return {
    async usual() {
      const { titleModel } = (await models.config()).defaults;
      const usual = await named(titleModel);
      if (titleModel !== undefined || usual === undefined) return usual;
      if (usual.provider === 'demo' || isAgent(usual)) return undefined;
      return (await leastExpensiveOf(usual.provider)) ?? usual;
    },
    async afterAnswer(provider) {
      if (!isServing) return undefined;
      const { titleModel, titles = true } = (await models.config()).defaults;
      if (!titles) return undefined;
      return titleModel === undefined ? leastExpensiveOf(provider) : named(titleModel);
    },
  };
}

/**
 * Returns the current model with the lowest price of a vendor, if its models can be told apart. A router has models of many vendors, and a
 * server of one's own has those that were installed: there the usual one is as good a choice as any.
 */
function leastExpensive({ hindrance, setup, models }: ListedProvider): string | undefined {
  if (setup === undefined || hindrance !== undefined) return undefined;
  const { kind, usualModel } = setup;
  if (!vendors.has(kind)) return usualModel ?? models[0]?.model;
  const priced = models.flatMap((model) => {
    const price = model.isOlder ? undefined : priceOf(model);
    return price === undefined ? [] : [{ model: model.model, price }];
  });
  return priced.sort((one, other) => one.price - other.price)[0]?.model ?? usualModel;
}

const vendors: ReadonlySet<string> = new Set(['anthropic', 'openai', 'google']);

/** A title takes some thirty times as many tokens to read as to write. Models without tools are made for pictures, speech or searching. */
function priceOf({ facts }: ListedModel): number | undefined {
  const { price, tools } = facts();
  return price === undefined || tools !== true ? undefined : price.input * 30 + price.output;
}
