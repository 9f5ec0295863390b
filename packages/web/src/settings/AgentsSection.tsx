import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { agentsOf, agentWords, stateOf } from '../models/agents.ts';
import type { AgentInfo, AgentState } from '../models/agents.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Nothing } from '../ui/Nothing.tsx';

/** The agents on this computer: versions, logins, models and modes, or what to do to use one. */
export function AgentsSection(): ReactElement {
  const { models, attempt } = useLoom();
  const { state, providers, models: known, failure } = useStore(models.known);
  const [isChecking, setChecking] = useState(false);
  const check = (): void => {
    setChecking(true);
    attempt(() => models.loadAll().finally(() => setChecking(false)));
  };
  useEffect(() => attempt(() => models.loadAll()), [models, attempt]);
  const agents = agentsOf(providers, known);
  return (
    <>
      <div className="settings-head">
        <h2 className="grow">Agents</h2>
        <button type="button" className="button button-quiet" disabled={isChecking} onClick={check}>
          <Icon name="again" />
          Check again
        </button>
      </div>
      <p className="settings-note">
        Loom runs the agents you have installed, with your own login. It never reads their credentials.
      </p>
      {failure !== undefined && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {state === 'ready' && agents.every(({ info }) => !info.usable) && (
        <Nothing title="No agents found">
          <p>Loom runs the agents installed on this computer. Models work without them.</p>
        </Nothing>
      )}
      {agents.map((agent) => (
        <Agent key={agent.name} agent={agent} />
      ))}
    </>
  );
}

const chips: { readonly [State in AgentState]: { className: string; words: string } } = {
  ready: { className: 'chip chip-good', words: 'Ready' },
  untried: { className: 'chip', words: 'Newer than tested' },
  'needs-login': { className: 'chip chip-waiting', words: 'Needs a login' },
  missing: { className: 'chip', words: 'Not installed' },
  silent: { className: 'chip', words: 'Does not answer' },
};

function Agent({ agent }: { agent: AgentInfo }): ReactElement {
  const { title, info, models } = agent;
  const { className, words } = chips[stateOf(agent)];
  const [isOpen, setOpen] = useState(!info.usable);
  const facts: readonly (readonly [string, string])[] = [
    ['What to do', info.hindrance?.message ?? info.problem?.message ?? ''],
    ['Models', models.map(({ model }) => model).join(', ')],
    ['Version', info.remark ?? ''],
    ['Modes', (info.modes ?? []).map(({ name }) => name).join(', ')],
    ['Commands', (info.commands ?? []).map(({ name }) => `/${name}`).join(', ')],
  ];
  return (
    <section className="provider" aria-label={title}>
      <div className="provider-head">
        <Icon name="command" />
        <h3>{title}</h3>
        <span className="provider-about">{info.version}</span>
        <span className="grow cut provider-about">{agentWords(agent)}</span>
        <span className={className}>{words}</span>
        <IconButton
          icon={isOpen ? 'up' : 'down'}
          label={`Details of ${title}`}
          isSmall
          isOpen={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && (
        <dl className="agent-facts">
          {facts
            .filter(([, text]) => text !== '')
            .map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
        </dl>
      )}
    </section>
  );
}
