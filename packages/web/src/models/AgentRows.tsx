import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { agentWords } from './agents.ts';
import type { AgentInfo } from './agents.ts';
import type { ModelInfo } from './model-answers.ts';

interface AgentRowsProps {
  /** The beginning of the ids of its rows, which are numbered from 0. */
  id: string;
  agents: readonly { readonly agent: AgentInfo; readonly model: ModelInfo }[];
  current: ModelInfo | undefined;
  isChosen: (model: ModelInfo) => boolean;
  onChoose: (model: ModelInfo) => void;
}

/** The agents on this computer, with their versions, or with why one cannot be asked. */
export function AgentRows({ id, agents, current, isChosen, onChoose }: AgentRowsProps): ReactElement | null {
  if (agents.length === 0) return null;
  return (
    <div role="group" aria-label="Agents">
      <div className="picker-provider" role="presentation">
        Agents bring their own tools
      </div>
      {agents.map(({ agent, model }, index) => (
        <div
          key={agent.name}
          id={`${id}-${index}`}
          className={model === current ? 'picker-row picker-agent picker-row-current' : 'picker-row picker-agent'}
          role="option"
          aria-selected={isChosen(model)}
          aria-disabled={!agent.info.usable}
          title={agent.info.hindrance?.message ?? agent.info.remark}
          ref={model === current ? (row) => row?.scrollIntoView({ block: 'nearest' }) : undefined}
          // The search field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(model)}
        >
          <span className="picker-tick">{isChosen(model) && <Icon name="check" small />}</span>
          <span className="grow">
            <span className="picker-name">{agent.title}</span>{' '}
            <span className="picker-about">{agent.info.version}</span>
            <span className="picker-agent-about">{agentWords(agent)}</span>
          </span>
          {!agent.info.usable && <span className="picker-fact">How to fix it</span>}
        </div>
      ))}
    </div>
  );
}
