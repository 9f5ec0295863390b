import { demoModels } from '@loom/providers/demo';
import type { ModelCatalogue, ModelFacts } from '@loom/providers/catalogue';
import { namesOf } from './choose-model.ts';
import { demoModel } from './demo-model.ts';
import { describeContext, describePrice } from './price-words.ts';
import type { Hindrance, ProviderSetup } from './provider-setup.ts';

/** A provider, whether it can be used now, and its models. */
export interface ListedProvider {
  name: string;
  /** Why it cannot be used, and what to do about it. */
  hindrance?: Hindrance;
  /** How it is reached; the demo is not. */
  setup?: ProviderSetup;
  models: readonly ListedModel[];
}

export interface ListedModel {
  /** As people write it. */
  name: string;
  model: string;
  /** Looked up when they are wanted: routers have hundreds of models. */
  facts: () => ModelFacts;
  /** The same in a few words. */
  about: () => string;
}

/** Everything that can be asked, and then what keeps the rest from being asked. */
export function listProviders(setups: readonly ProviderSetup[], catalogue: ModelCatalogue): ListedProvider[] {
  const real = setups.map((setup): ListedProvider => {
    const { name, hindrance } = setup;
    const models = namesOf(setup, { setups, catalogue }).map((model) => describeModel(name, model, catalogue));
    return { name, setup, ...(hindrance === undefined ? {} : { hindrance }), models };
  });
  const isUsable = ({ hindrance }: ListedProvider): boolean => hindrance === undefined;
  const demo = { name: 'demo', models: listDemo() };
  return [...real.filter(isUsable), demo, ...real.filter((provider) => !isUsable(provider))];
}

export function listDemo(): ListedModel[] {
  return demoModels.map(({ name: model, description }) => ({
    name: demoModel(model).name,
    model,
    facts: () => ({}),
    about: () => description,
  }));
}

function describeModel(provider: string, model: string, catalogue: ModelCatalogue): ListedModel {
  const facts = (): ModelFacts => catalogue.factsOf(provider, model);
  return {
    name: `${provider}/${model}`,
    model,
    facts,
    about: () => `${describeContext(facts())}, ${describePrice(facts())}`,
  };
}
