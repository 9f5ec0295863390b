import { useRef } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useStore } from '../../stores/use-store.ts';
import { Popover } from '../../ui/floating/Popover.tsx';
import { useOpen } from '../../ui/floating/use-open.ts';
import { Switch } from '../../ui/Switch.tsx';
import { count } from '../../words/amounts.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { whoIsHere } from './here.ts';
import type { Present } from './here.ts';
import { isQuiet } from './quiet.ts';
import './presence.css';

/** The number of names in the bar. */
const most = 3;

/** Those who are in the conversation now, in the bar above it; opened, with a switch for their carets. */
export function WhoIsHere({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const { agent } = useWorkHost();
  const state = useStore(conversation.watch.whole);
  const present = whoIsHere(state, agent);
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  if (present.length === 0) return null;
  const words = present.map(({ name, isWriting }) => (isWriting ? `${name}, writing` : name)).join(', ');
  return (
    <>
      <button
        ref={button}
        type="button"
        className="who-is-here"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`Here now: ${words}`}
        title={`Here now: ${words}`}
        onClick={toggle}
      >
        {present.slice(0, most).map((one) => (
          <Who key={one.agent} present={one} />
        ))}
        {present.length > most && <span className="who">+{present.length - most}</span>}
      </button>
      {isOpen && (
        <Popover anchor={button.current} label="Who is here" className="who-panel" edge="right" onClose={close}>
          <p className="who-count">{count(present.length, 'participant')} here now</p>
          <ul>
            {present.map((one) => (
              <li key={one.agent}>
                <Who present={one} /> {one.isWriting ? 'is answering' : ''}
              </li>
            ))}
          </ul>
          <QuietSwitch />
        </Popover>
      )}
    </>
  );
}

function Who({ present: { name, color, isWriting } }: { present: Present }): ReactElement {
  return (
    <span className={`who who-${color}`}>
      <span className={isWriting ? 'mark mark-model' : 'mark mark-person'} aria-hidden="true" />
      <span className="who-name">{name}</span>
    </span>
  );
}

function QuietSwitch(): ReactElement {
  const quiet = useStore(isQuiet);
  const label = 'Show carets of others in texts';
  return (
    <div className="who-quiet">
      <span>{label}</span>
      <Switch label={label} isOn={!quiet} onChange={(isOn) => isQuiet.set(!isOn)} />
    </div>
  );
}
