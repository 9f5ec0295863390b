import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { offeredTools } from '../models/models.ts';
import { answerCount } from '../models/picked.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { Popover } from '../ui/floating/Popover.tsx';
import { focusComposer } from './focus.ts';

/** The menu of tools that models may use, and when they have to ask. */
export function ToolsButton(): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="pick not-narrow"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Ask before changes
        <Icon name="down" small />
      </button>
      {isOpen && (
        <Popover
          anchor={button.current}
          label="Tools and approvals"
          className="tools-panel"
          onLeave={focusComposer}
          onClose={() => setOpen(false)}
        >
          <ToolsPanel />
        </Popover>
      )}
    </>
  );
}

function ToolsPanel(): ReactElement {
  const { models } = useLoom();
  const { tools } = useStore(models.known);
  const off = useStore(models.toolsOff);
  const lends = useStore(models.lendsTools);
  const answerers = useStore(models.answerers);
  const provider = answerers.models[0]?.provider;
  const offered = offeredTools(tools, provider, lends);
  const own = offeredTools(tools, provider, false);
  const toggle = (name: string): void =>
    models.toolsOff.set(off.includes(name) ? off.filter((other) => other !== name) : [...off, name]);
  return (
    <>
      <p>Loom asks you before a tool changes anything. Tools that only read run at once.</p>
      {answerCount(answerers) > 1 && <p>Several answers side by side use no tools.</p>}
      <h2>Tools</h2>
      {offered.length === 0 && <p>There are none for this model yet.</p>}
      <ul>
        {offered.map(({ name }) => (
          <li key={name}>
            <label className="check-row">
              <input type="checkbox" checked={!off.includes(name)} onChange={() => toggle(name)} />
              <span>{name}</span>
            </label>
          </li>
        ))}
      </ul>
      {own.length < tools.length && (
        <label className="check-row">
          <input type="checkbox" checked={lends} onChange={() => models.lendsTools.set(!lends)} />
          <span>Also offer the demo’s tools, which only pretend.</span>
        </label>
      )}
    </>
  );
}
