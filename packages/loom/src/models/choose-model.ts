import { nearest } from '@loom/blocks/nearest-word';
import type { ModelCatalogue } from '@loom/providers/catalogue';
import { LoomError } from '../command-line/failure.ts';
import { demoModel, demoModelNames, type ChosenModel } from './demo-model.ts';
import type { ProviderSetup } from './provider-setup.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** The models to choose from. */
export interface ModelScope {
  setups: readonly ProviderSetup[];
  catalogue: Pick<ModelCatalogue, 'modelsOf' | 'knows'>;
}

/**
 * A model by the name that people write: `<provider>/<model>` or `<provider>:<model>`, a provider alone, or a model alone where only one
 * provider has it. A model that no list has is chosen too, if its provider can be used: new ones appear every day.
 */
export function chooseModel(name: string, scope: ModelScope): ChosenModel {
  const [, first = name, rest = ''] = /^([^:/]+)[:/](.*)$/s.exec(name) ?? [];
  if (first === 'demo') return demoModel(rest);
  const setup = scope.setups.find((known) => known.name === first);
  if (setup !== undefined) return modelOf(setup, rest, scope);
  return modelAlone(name, scope) ?? refuseUnknown(name, scope);
}

/** Returns the default model: the usual one of the first provider that has a key, else the demo. */
export function usualModel({ setups }: Pick<ModelScope, 'setups'>): ChosenModel | undefined {
  for (const { name, key, hindrance, usualModel: usual, models } of setups) {
    const model = usual ?? models[0];
    if (hindrance === undefined && model !== undefined && (key.type !== 'none' || models.length > 0))
      return { provider: name, model, name: `${name}/${model}` };
  }
  return undefined;
}

/** Returns all models of a provider that are known by name. */
function namesOf({ name, models }: ProviderSetup, { catalogue }: ModelScope): string[] {
  return [...new Set([...models, ...catalogue.modelsOf(name)])];
}

function modelOf(setup: ProviderSetup, given: string, scope: ModelScope): ChosenModel {
  const { name, hindrance } = setup;
  if (hindrance !== undefined) {
    const router = given === '' ? undefined : routerFor(setup, given, scope);
    const elsewhere = router === undefined ? '' : ` Or use ${router}, which can be used now.`;
    throw new LoomError(hindrance.code, hindrance.message, { advice: `${hindrance.advice}${elsewhere}` });
  }
  const model = given === '' ? (setup.usualModel ?? setup.models[0]) : given;
  if (model === undefined) {
    throw new LoomError('unknown-model', `${name} has no usual model`, { advice: `Name one: ${name}/<model>` });
  }
  const chosen = { provider: name, model, name: `${name}/${model}` };
  const remark = remarkOn(setup, model, scope);
  return remark === undefined ? chosen : { ...chosen, remark };
}

/** Returns a remark on a name that looks like a typing mistake; the name is tried nevertheless. */
function remarkOn(setup: ProviderSetup, model: string, scope: ModelScope): string | undefined {
  const names = namesOf(setup, scope);
  if (names.length === 0 || names.includes(model) || scope.catalogue.knows(setup.name, model)) return undefined;
  const guess = nearest(model, names);
  const hint = guess === undefined ? '' : ` Did you mean ${setup.name}/${guess}?`;
  return `${setup.name}/${model} is not in any list of models; it is used as given.${hint}`;
}

function routerFor({ name }: ProviderSetup, model: string, { setups, catalogue }: ModelScope): string | undefined {
  const router = setups.find(
    (other) => other.hindrance === undefined && catalogue.knows(other.name, `${name}/${model}`),
  );
  return router && `${router.name}/${name}/${model}`;
}

/** Returns true if a name without a provider is that of a usable model. */
export function isKnownAlone(name: string, scope: ModelScope): boolean {
  return demoModelNames().includes(name) || ownersOf(name, scope).some(({ hindrance }) => hindrance === undefined);
}

function ownersOf(name: string, { setups, catalogue }: ModelScope): ProviderSetup[] {
  return setups.filter((setup) => {
    // A router's names have the vendor in them; one that has not is its vendor's.
    const isOfRouter = setup.name === 'openrouter' && !name.includes('/');
    return setup.models.includes(name) || (!isOfRouter && catalogue.knows(setup.name, name));
  });
}

function modelAlone(name: string, scope: ModelScope): ChosenModel | undefined {
  if (demoModelNames().includes(name)) return demoModel(name);
  const owners = ownersOf(name, scope);
  const usable = owners.filter(({ hindrance }) => hindrance === undefined);
  if (usable.length > 1) {
    const names = usable.map((setup) => setup.name);
    throw new LoomError('ambiguous-model', `${name} is a model of ${names.join(' and of ')}`, {
      advice: `Name the provider: ${names[0]}/${name}`,
    });
  }
  const [owner] = usable.length === 1 ? usable : owners;
  return owner && modelOf(owner, name, scope);
}

function refuseUnknown(name: string, scope: ModelScope): never {
  const { setups } = scope;
  const [, first, rest = ''] = /^([^:/]+)[:/](.*)$/s.exec(name) ?? [];
  const providers = ['demo', ...setups.map((setup) => setup.name)];
  if (first !== undefined) {
    const guess = nearest(first, providers);
    throw new LoomError('unknown-model', `there is no provider ${JSON.stringify(first)}`, {
      advice: guess === undefined ? whatThereIs() : `Did you mean ${guess}/${rest}?`,
    });
  }
  // Of several that have a model of this name, one that can be used is named.
  const byUse = setups.toSorted(
    (left, right) => Number(left.hindrance === undefined) - Number(right.hindrance === undefined),
  );
  const full = new Map([
    ...providers.map((provider) => [provider, provider] as const),
    ...demoModelNames().map((model) => [model, `demo:${model}`] as const),
    ...byUse.flatMap((setup) => namesOf(setup, scope).map((model) => [model, `${setup.name}/${model}`] as const)),
  ]);
  const guess = nearest(name, [...full.keys()]);
  throw new LoomError('unknown-model', `there is no model ${JSON.stringify(name)}`, {
    advice: guess === undefined ? whatThereIs() : `Did you mean ${full.get(guess) ?? guess}?`,
  });
}

const whatThereIs = (): string =>
  `${suggest('models')} lists what can be used. A model that it does not list is named with its provider.`;
