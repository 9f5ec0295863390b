import type { OfferProblem } from '@loom/kernel';
import { demoModels } from '@loom/providers/demo';
import type { ModelCatalogue, ModelFacts } from '@loom/providers/catalogue';
import { demoModel } from './demo-model.ts';
import type { LiveLists } from './live-lists.ts';
import { rankOffered } from './model-order.ts';
import { describeContext, describePrice } from './price-words.ts';
import type { Hindrance, ProviderSetup } from './provider-setup.ts';

/** A provider, whether it can be used now, and its models. */
export interface ListedProvider {
  name: string;
  /** The reason it cannot be used, and advice. */
  hindrance?: Hindrance;
  /** The reason that its own list could not be read; its models are those of the catalogue, or of its last list. */
  problem?: OfferProblem;
  /** The connection settings; the demo has none. */
  setup?: ProviderSetup;
  models: readonly ListedModel[];
}

export interface ListedModel {
  /** The name as people write it. */
  name: string;
  model: string;
  /** A newer one has taken its place; lists show it when it is asked for. */
  isOlder: boolean;
  /** Returns the facts when they are wanted: routers have hundreds of models. */
  facts: () => ModelFacts;
  /** The same in a few words. */
  about: () => string;
}

/** Lists the usable providers, and then the rest with what hinders them. */
export function listProviders(
  setups: readonly ProviderSetup[],
  catalogue: ModelCatalogue,
  lists: Pick<LiveLists, 'of'>,
): ListedProvider[] {
  const real = setups.map((setup): ListedProvider => {
    const { name, hindrance, usualModel } = setup;
    const own = setup.models.map((model) => ({ model, isOlder: false }));
    const { models: offered, problem } = lists.of(setup) ?? {};
    const known = rankOffered(catalogue.modelsOf(name), offered).filter(({ model }) => !setup.models.includes(model));
    const models = [...own, ...known].map(({ model, isOlder }) =>
      describeModel(name, model, { catalogue, isOlder: isOlder && model !== usualModel }),
    );
    return {
      name,
      setup,
      ...(hindrance === undefined ? {} : { hindrance }),
      ...(problem === undefined ? {} : { problem }),
      models,
    };
  });
  const isUsable = ({ hindrance }: ListedProvider): boolean => hindrance === undefined;
  const demo = { name: 'demo', models: listDemo() };
  return [...real.filter(isUsable), demo, ...real.filter((provider) => !isUsable(provider))];
}

export function listDemo(): ListedModel[] {
  return demoModels.map(({ name: model, description }) => ({
    name: demoModel(model).name,
    model,
    isOlder: false,
    facts: () => ({}),
    about: () => description,
  }));
}

function describeModel(
  provider: string,
  model: string,
  { catalogue, isOlder }: { catalogue: ModelCatalogue; isOlder: boolean },
): ListedModel {
  const facts = (): ModelFacts => catalogue.factsOf(provider, model);
  return {
    name: `${provider}/${model}`,
    model,
    isOlder,
    facts,
    about: () => `${describeContext(facts())}, ${describePrice(facts())}`,
  };
}
