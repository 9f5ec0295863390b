import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useStore } from '../../stores/use-store.ts';
import { Switch } from '../../ui/Switch.tsx';
import { aboutDollars, tokens } from '../../words/amounts.ts';
import { useWorkPlace } from '../conversation-mode.ts';
import { useOwner } from '../use-owner.ts';
import { useWorkHost } from '../work-host.ts';
import { switchGroup, toolGroups, toolTokens } from './tool-groups.ts';
import type { ToolGroup } from './tool-groups.ts';
import { Instructions } from './Instructions.tsx';
import { ProviderTools } from './ProviderTools.tsx';
import { useAgentName } from './use-agent-name.ts';
import { useReread } from './use-reread.ts';

/** The tools of the conversation: groups first, with what they cost in every request. */
export function ToolsPanel(): ReactElement {
  const { ask, attempt, beginning, tools: offered } = useWorkHost();
  const { tools, failure } = useStore(offered.listed);
  const { root } = useWorkPlace();
  const isOwner = useOwner();
  const again = useReread();
  const agent = useAgentName();
  const panel = useRef<HTMLDivElement>(null);
  // It was loaded after its popover was shown.
  useEffect(() => offered.refresh(), [offered]);
  useLayoutEffect(() => (panel.current?.querySelector<HTMLElement>('button:enabled') ?? panel.current)?.focus(), []);
  const groups = toolGroups(tools);
  const on = tools.filter((tool) => tool.offered).length;
  const all = groups.reduce((sum, group) => sum + group.tools.length, 0);
  const toggle = (group: ToolGroup, isOn: boolean): void => {
    const names = switchGroup(tools, group, isOn);
    if (root === undefined) beginning.tools.set(names);
    else attempt(() => ask('root.configure', { root, config: { tools: names } }));
  };
  const reset = (): void => {
    if (root === undefined) beginning.tools.set(undefined);
    else attempt(() => ask('root.configure', { root, config: { tools: null } }));
  };
  const isChosen = tools.some(({ why_not: why }) => why === 'switched-off');
  return (
    <div ref={panel} tabIndex={-1}>
      <p className="tools-head">
        <span className="grow">Tools in this conversation</span>
        <span>
          {on} of {all} on · about {tokens(toolTokens(tools))} tokens
        </span>
      </p>
      {failure !== undefined && <p className="failure">{failure}</p>}
      {groups.map((group) => (
        <ToolGroupRow
          key={group.name}
          group={group}
          isOff={isOwner !== true}
          onToggle={(isOn) => toggle(group, isOn)}
        />
      ))}
      {groups.length === 0 && failure === undefined && agent === undefined && <p>There are none for this model.</p>}
      {agent === undefined ? (
        <>
          <Instructions isOff={isOwner !== true} />
          <ProviderTools isOff={isOwner !== true} />
        </>
      ) : (
        <p>{agent} brings its own tools, and reads the instructions of the folder itself.</p>
      )}
      <div className="tools-foot">
        <span className="grow">
          {isOwner === false
            ? 'Only an owner chooses the tools.'
            : again === undefined
              ? 'What you change holds from the next message on.'
              : `If you change tools, ${tokens(again.tokens)} tokens are billed again${again.cost === undefined ? '' : `, ${aboutDollars(again.cost)}`}.`}
        </span>
        {isOwner === true && isChosen && (
          <button type="button" className="text-button" onClick={reset}>
            Usual tools
          </button>
        )}
      </div>
    </div>
  );
}

interface ToolGroupRowProps {
  group: ToolGroup;
  isOff: boolean;
  onToggle: (isOn: boolean) => void;
}

function ToolGroupRow({ group, isOff, onToggle }: ToolGroupRowProps): ReactElement {
  const { name, tools, possible, hindrance, isOn } = group;
  const [isOpen, setOpen] = useState(false);
  const names = tools.map((tool) => tool.name);
  return (
    <div className="tools-row">
      <button type="button" className="grow tools-names" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="tools-name">{name}</span>
        <small className={isOpen ? undefined : 'cut'}>
          {hindrance ?? names.join(', ')}
          {hindrance !== undefined && isOpen && `: ${names.join(', ')}`}
        </small>
      </button>
      <Switch label={name} isOn={isOn} isOff={isOff || possible.length === 0} onChange={onToggle} />
    </div>
  );
}
