import { isAgent, providerName } from '../../models/model-words.ts';
import { useStore } from '../../stores/use-store.ts';
import { useWorkHost } from '../work-host.ts';

/** Returns the name of the agent that answers, if one does: it runs its own tools, and switches of Loom do nothing for it. */
export function useAgentName(): string | undefined {
  const [model] = useStore(useWorkHost().answerers).models;
  return model !== undefined && isAgent(model.provider) ? providerName(model.provider) : undefined;
}
