import type { Clock, OfferedModel, OfferProblem, ProviderOffer } from '@loom/kernel';
import type { ModelOverride } from '@loom/providers/catalogue';
import { isOnThisMachine } from './local-servers.ts';
import type { ProviderSetup } from './provider-setup.ts';

/** The last report of a provider on its models. */
export interface LiveList {
  /** Absent if no list could be read so far. */
  models?: readonly OfferedModel[];
  /** The reason that the last request failed. */
  problem?: OfferProblem;
}

/** The lists of models that providers elsewhere keep. */
export interface LiveLists {
  /** Asks the providers whose last answer is old, all at once. */
  ask(setups: readonly ProviderSetup[]): Promise<void>;
  /** Returns the last report on a provider, if it was made with the same key and address. */
  of(setup: ProviderSetup): LiveList | undefined;
}

/** Vendors publish a model every few weeks; a router several a day. */
const freshFor = 10 * 60_000;
/** A failure is tried again soon, but not with each look at a list. */
const failedFor = 30_000;

interface Heard {
  /** The key, address and headers it was heard with. */
  by: string;
  until: number;
  list: LiveList;
}

export function createLiveLists(
  offersOf: (setup: ProviderSetup) => Promise<ProviderOffer | undefined>,
  clock: Clock,
): LiveLists {
  const heard = new Map<string, Heard>();
  const asking = new Map<string, Promise<void>>();
  const known = (setup: ProviderSetup): Heard | undefined => {
    const last = heard.get(setup.name);
    return last?.by === signatureOf(setup) ? last : undefined;
  };
  const askOne = async (setup: ProviderSetup): Promise<void> => {
    const offer = await offersOf(setup);
    if (offer === undefined) return;
    const { state, models = known(setup)?.list.models } = offer;
    const problem = state.type === 'failed' ? { code: state.code, message: state.message } : undefined;
    heard.set(setup.name, {
      by: signatureOf(setup),
      until: clock.now() + (problem === undefined ? freshFor : failedFor),
      list: { ...(models === undefined ? {} : { models }), ...(problem === undefined ? {} : { problem }) },
    });
  };
  return {
    async ask(setups) {
      const due = setups.filter(
        (setup) =>
          setup.hindrance === undefined && !isOnThisMachine(setup) && !((known(setup)?.until ?? 0) > clock.now()),
      );
      await Promise.all(
        due.map((setup) => {
          const key = JSON.stringify([setup.name, signatureOf(setup)]);
          const running = asking.get(key) ?? askOne(setup).finally(() => asking.delete(key));
          asking.set(key, running);
          return running;
        }),
      );
    },
    of: (setup) => known(setup)?.list,
  };
}

function signatureOf({ kind, baseURL, headers, query, password, key }: ProviderSetup): string {
  return JSON.stringify([kind, baseURL, headers, query, password, key]);
}

/** Returns the facts of live lists in the catalogue's form, by `<provider>/<model>`. */
export function statedFacts(setups: readonly ProviderSetup[], lists: LiveLists): Record<string, ModelOverride> {
  const facts: Record<string, ModelOverride> = {};
  for (const setup of setups) {
    for (const { name, about: _about, created: _created, ...stated } of lists.of(setup)?.models ?? []) {
      facts[`${setup.name}/${name}`] = stated;
    }
  }
  return facts;
}
