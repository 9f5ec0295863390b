import { useRef } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { nextItem } from '../ui/floating/next-item.ts';
import { modeAbout, modes } from './mode-words.ts';
import type { Mode } from './mode-words.ts';
import { useChosenAgent } from './chosen-agent.ts';
import { useSandbox } from './sandbox.ts';

interface ModeMenuProps {
  chosen: Mode;
  hasFolder: boolean;
  onChoose: (mode: Mode) => void;
}

/** The modes, each with what it lets happen, in the words of the agent that answers; one that cannot be had says why. */
export function ModeMenu({ chosen, hasFolder, onChoose }: ModeMenuProps): ReactElement {
  const list = useRef<HTMLUListElement>(null);
  const { value: sandbox, failure } = useSandbox();
  const agent = useChosenAgent();
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const next = nextItem(
      modes.map(({ name }) => name),
      at,
      event.key,
    );
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  const hindrance = (mode: Mode): string | undefined => {
    // An agent has a sandbox of its own.
    if (mode !== 'sandbox' || agent !== undefined || sandbox?.available === true) return undefined;
    if (sandbox === undefined) return failure ?? 'Looking for a sandbox…';
    return `Sandbox is not available: ${sandbox.reason ?? 'this computer has none'}`;
  };
  return (
    <>
      <ul ref={list} role="none" onKeyDown={onKeyDown}>
        {modes.map(({ mode, name, icon }) => {
          const reason = hindrance(mode);
          return (
            <li key={mode} role="none">
              <button
                type="button"
                role="menuitemradio"
                aria-checked={mode === chosen}
                aria-disabled={reason === undefined ? undefined : true}
                tabIndex={-1}
                className="mode-item"
                onClick={() => {
                  if (reason === undefined) onChoose(mode);
                }}
              >
                <Icon name={icon} />
                <span className="grow">
                  <span className="mode-item-name">{name}</span>
                  <small>{reason ?? modeAbout(mode, agent)}</small>
                </span>
                {mode === chosen && <Icon name="check" />}
              </button>
            </li>
          );
        })}
      </ul>
      {!hasFolder && (
        <p className="mode-note">
          {agent === undefined
            ? 'Without a folder there is nothing to read, change or run in.'
            : `Without a folder ${agent.title} works in an empty one that Loom makes for this conversation.`}
        </p>
      )}
    </>
  );
}
