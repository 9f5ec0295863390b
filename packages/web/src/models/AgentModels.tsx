import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Segments } from '../ui/Segments.tsx';
import type { AgentInfo } from './agents.ts';
import { pick } from './picked.ts';

/** The number of models of an agent that are offered at once; the others are found by the search. */
const most = 4;

/** Chooses the model inside the agent that answers next. */
export function AgentModels({ agents }: { agents: readonly AgentInfo[] }): ReactElement | null {
  const { models } = useLoom();
  const picked = useStore(models.picked);
  const chosen = useStore(models.answerers).models;
  const [only] = chosen;
  const agent = chosen.length === 1 ? agents.find(({ name }) => name === only?.provider) : undefined;
  if (agent === undefined || only === undefined || agent.models.length < 2) return null;
  const shown = agent.models.filter((model, index) => index < most || model === only);
  return (
    <div className="picker-line picker-inside">
      <span className="grow">Model in {agent.title}</span>
      <Segments
        label={`Model in ${agent.title}`}
        choices={shown.map(({ name, model }) => ({ value: name, label: model }))}
        chosen={only.name}
        onChoose={(name) => models.picked.set(pick(picked, name, { beside: false }))}
      />
    </div>
  );
}
