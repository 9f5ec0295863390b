import type { ProviderInfo } from '../models/model-answers.ts';
import { isAgent, providerName } from '../models/model-words.ts';
import { useStore } from '../stores/use-store.ts';
import { useWorkHost } from './work-host.ts';

/** The agent that answers next, with what its program says about its modes. */
export interface ChosenAgent {
  /** The provider to pass to `turn.start`. */
  readonly name: string;
  /** The name as its maker writes it. */
  readonly title: string;
  /** Its modes; `undefined` until its program has been asked. */
  readonly modes: ProviderInfo['modes'];
}

/** Returns the first agent among those that answer next; `undefined` if models answer. */
export function useChosenAgent(): ChosenAgent | undefined {
  const { answerers, known } = useWorkHost();
  const { models } = useStore(answerers);
  const { providers } = useStore(known);
  const name = models.find(({ provider }) => isAgent(provider))?.provider;
  if (name === undefined) return undefined;
  return { name, title: providerName(name), modes: providers.find((provider) => provider.name === name)?.modes };
}
