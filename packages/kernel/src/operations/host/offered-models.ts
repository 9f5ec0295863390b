import type { ProviderOffer } from '../../provider.ts';
import type { OfferingProvider } from '../../turn/offering/provider-offers.ts';
import type { ModelEntry, ProviderAnswer } from './model-operations.ts';

/** Adds the models that providers offer to those that are known by name: usable ones first, each name once. */
export function withOfferedModels(
  known: readonly ModelEntry[],
  offering: readonly OfferingProvider[],
): readonly ModelEntry[] {
  if (offering.length === 0) return known;
  const names = new Set(known.map(({ name }) => name));
  const offered = offering.flatMap(entriesOf).filter(({ name }) => !names.has(name));
  const all = [...known, ...offered];
  return [...all.filter(({ usable }) => usable), ...all.filter(({ usable }) => !usable)];
}

function entriesOf({ provider: { id: provider, runsTools }, offer }: OfferingProvider): ModelEntry[] {
  const { models = [], state } = offer;
  const usable = state.type !== 'missing';
  return models.map(({ name: model, created: _created, ...stated }) => {
    const name = `${provider}/${model}`;
    const facts = { ...stated, ...(runsTools === true ? { tools: true } : {}) };
    return { name, provider, usable, describe: () => ({ name, provider, model, usable, ...facts }) };
  });
}

/** Adds the providers that have offers; one that is set up already gets its offers beside the known facts. */
export function withOfferingProviders(
  known: readonly ProviderAnswer[],
  offering: readonly OfferingProvider[],
): ProviderAnswer[] {
  const offers = new Map(offering.map(({ provider, offer }) => [provider.id, offer]));
  const names = new Set(known.map(({ name }) => name));
  const added = offering.filter(({ provider }) => !names.has(provider.id)).map(describeOffering);
  return [...known.map((answer) => ({ ...answer, ...detailsOf(offers.get(answer.name)) })), ...added];
}

function describeOffering({ provider: { id: name }, offer }: OfferingProvider): ProviderAnswer {
  const { state, models = [] } = offer;
  const code = state.type === 'missing' && state.needs === 'login' ? ('needs-login' as const) : ('missing' as const);
  const hindrance = state.type === 'missing' ? { hindrance: { code, message: state.message } } : {};
  return {
    name,
    kind: 'agent',
    usable: state.type !== 'missing',
    ...hindrance,
    local: true,
    key: 'none',
    models: models.length,
    ...detailsOf(offer),
  };
}

function detailsOf(
  offer: ProviderOffer | undefined,
): Pick<ProviderAnswer, 'version' | 'remark' | 'problem' | 'modes' | 'commands'> {
  if (offer === undefined) return {};
  const { state, modes, commands, remark } = offer;
  return {
    ...(state.type !== 'installed' || state.version === undefined ? {} : { version: state.version }),
    ...(state.type === 'failed' ? { problem: { code: state.code, message: state.message } } : {}),
    ...(remark === undefined ? {} : { remark }),
    ...(modes === undefined ? {} : { modes: [...modes] }),
    ...(commands === undefined ? {} : { commands: [...commands] }),
  };
}
