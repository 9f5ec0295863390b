import type { ReactElement } from 'react';
import { continuationWords } from '@loom/blocks';
import { useLoom } from '../app/loom-context.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { isAgent, providerName } from './model-words.ts';

/** Says before anything is sent how the chosen agent will come to know the branch on display. */
export function AgentWay(): ReactElement | null {
  const loom = useLoom();
  const open = useStore(loom.conversation);
  const agent = useStore(loom.models.answerers).models.find(({ provider }) => isAgent(provider))?.provider;
  const node = open?.tip;
  const isAsked = agent !== undefined && node !== undefined && node !== open?.root;
  const { value } = useAsked(isAsked ? `${agent} ${node}` : undefined, () =>
    isAsked ? loom.ask('agent.continuation', { node, agent }) : Promise.resolve(undefined),
  );
  if (agent === undefined || value?.how === undefined || value.how === 'new') return null;
  const { how, loses } = value;
  const words = continuationWords(providerName(agent), loses === undefined ? { how } : { how, loses });
  return <p className="picker-note">{words}</p>;
}
