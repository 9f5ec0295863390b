import { useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { count, tokens } from '../../words/amounts.ts';
import { useWorkHost } from '../work-host.ts';
import { ReviewTool } from './ReviewTool.tsx';
import { ServerLog } from './ServerLog.tsx';
import { aboutServer, acceptedWords, tokensOf } from './server-words.ts';
import type { ServerInfo, ServerState, ServerTool } from './server-answers.ts';

interface ServerRowProps {
  server: ServerInfo;
  onToggle: (names: readonly string[], on: boolean) => void;
  onChange: (work: () => Promise<unknown>) => void;
}

const chips: { readonly [State in ServerState]: { className: string; words: string } } = {
  off: { className: 'chip', words: 'Off' },
  starting: { className: 'chip', words: 'Starting' },
  ready: { className: 'chip chip-good', words: 'Ready' },
  'needs-login': { className: 'chip chip-waiting', words: 'Needs a login' },
  failed: { className: 'chip chip-bad', words: 'Failed' },
};

/** A server: how it starts, its state, and, unfolded, its tools and what it printed. One that has failed shows its log first. */
export function ServerRow({ server, onToggle, onChange }: ServerRowProps): ReactElement {
  const { name, all, state, tools } = server;
  const { ask } = useWorkHost();
  const [isOpen, setOpen] = useState(state === 'failed');
  const [shown, setShown] = useState<'tools' | 'log'>(state === 'failed' ? 'log' : 'tools');
  const isOn = state !== 'off';
  const { className, words } = chips[state];
  return (
    <section className="server" aria-label={name}>
      <div className="server-head">
        <Icon name="server" />
        <div className="grow server-names">
          <h4>{name}</h4>
          <small className="cut" title={server.url ?? server.command}>
            {aboutServer(server, Date.now())}
          </small>
        </div>
        <span className={className} role="status">
          {words}
        </span>
        <IconButton
          icon={isOpen ? 'up' : 'down'}
          label={`Details of ${name}`}
          isSmall
          isOpen={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <Switch label={name} isOn={isOn} onChange={(on) => onToggle([all], on)} />
      </div>
      {isOpen && (
        <div className="server-details">
          <div className="server-bar">
            <Segments
              label={`Details of ${name}`}
              choices={[
                { value: 'tools', label: state === 'ready' ? `Tools ${tools.length}` : 'Tools –' },
                { value: 'log', label: 'Log' },
              ]}
              chosen={shown}
              onChoose={setShown}
            />
            <span className="grow" />
            {state === 'ready' && <span className="quiet">about {tokens(tokensOf(tools))} tokens in each request</span>}
            {isOn && (
              <button
                type="button"
                className="button button-quiet"
                onClick={() => onChange(() => ask('mcp.restart', { name }))}
              >
                {state === 'ready' ? 'Restart' : 'Try now'}
              </button>
            )}
          </div>
          {shown === 'log' ? (
            <ServerLog key={`${state} ${server.failures ?? 0}`} name={name} />
          ) : (
            <ul className="server-tools">
              {tools.map((tool) => (
                <ServerToolRow key={tool.name} tool={tool} onToggle={onToggle} onChange={onChange} />
              ))}
              {tools.length === 0 && <li className="quiet">{state === 'ready' ? 'It has none.' : 'Not known now.'}</li>}
            </ul>
          )}
        </div>
      )}
      {!isOpen && tools.some(({ withheld }) => withheld === 'changed') && (
        <p className="server-changed">
          <Icon name="warning" />
          {count(tools.filter(({ withheld }) => withheld === 'changed').length, 'description')} changed.
          <button type="button" className="text-button" onClick={() => setOpen(true)}>
            Show
          </button>
        </p>
      )}
    </section>
  );
}

interface ServerToolRowProps extends Pick<ServerRowProps, 'onToggle' | 'onChange'> {
  tool: ServerTool;
}

function ServerToolRow({ tool, onToggle, onChange }: ServerToolRowProps): ReactElement {
  const { name, own_name: own, description, effect, withheld, before } = tool;
  const [isReviewed, setReviewed] = useState(false);
  if (withheld !== 'changed' || before === undefined) {
    return (
      <li>
        <code>{own}</code>
        <span className="grow cut" title={description}>
          {description}
        </span>
        <span className={effect === 'reads' ? 'quiet' : 'server-writes'}>
          {effect === 'reads' ? 'reads' : 'writes'}
        </span>
        <Switch label={own} isOn={withheld === undefined} onChange={(on) => onToggle([name], on)} />
      </li>
    );
  }
  return (
    <li className="server-changed">
      <Icon name="warning" />
      <span className="grow">
        The description of <strong>{own}</strong> is no longer the one accepted {acceptedWords(before.at, Date.now())}.
        It stays off until you review it.
      </span>
      <button type="button" className="text-button" onClick={() => setReviewed(true)}>
        See what changed
      </button>
      {isReviewed && <ReviewTool tool={tool} before={before} onChange={onChange} onClose={() => setReviewed(false)} />}
    </li>
  );
}
