import { useRef } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { later } from '../ui/later.tsx';
import { Popover } from '../ui/floating/boxes.ts';
import { useOpen } from '../ui/floating/use-open.ts';
import { useWorkPlace } from './conversation-mode.ts';
import { modeName } from './mode-words.ts';
import type { Mode } from './mode-words.ts';
import { useMay } from './use-may.ts';
import { useWorkHost } from './work-host.ts';

const ModeMenu = later(async () => (await import('./ModeMenu.tsx')).ModeMenu);

/** The mode of the conversation; owners open the list to choose from, others read it. */
export function ModeButton(): ReactElement {
  const { ask, attempt, beginning, focusComposer } = useWorkHost();
  const { folder, mode, root } = useWorkPlace();
  const mayChoose = useMay('permission.add');
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  const choose = (chosen: Mode): void => {
    close();
    if (root === undefined) beginning.mode.set(chosen);
    else attempt(() => ask('root.configure', { root, config: { approval_mode: chosen } }));
  };
  if (mayChoose !== true) return <span className="pick pick-plain not-narrow">{modeName(mode)}</span>;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="pick mode-pick"
        aria-label={`Mode: ${modeName(mode)}`}
        title={`Mode: ${modeName(mode)}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <span className="only-narrow">
          <Icon name="shield" />
        </span>
        <span className="not-narrow mode-name">
          {modeName(mode)}
          <Icon name="down" small />
        </span>
      </button>
      {isOpen && (
        <Popover
          anchor={button.current}
          label="Mode"
          role="menu"
          className="mode-menu"
          onLeave={focusComposer}
          onClose={close}
        >
          <ModeMenu chosen={mode} hasFolder={folder !== ''} onChoose={choose} />
        </Popover>
      )}
    </>
  );
}
