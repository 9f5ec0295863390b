import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../../app/loom-context.ts';
import { useBringCommands } from '../../keys/use-commands.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Popover } from '../../ui/floating/boxes.ts';
import { countKinds, hideableKinds, kindNames } from './block-kinds.ts';
import type { HideableKind } from './block-kinds.ts';

/** Chooses which kinds of blocks are shown, in all conversations. */
export function KindsMenu(): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const toggle = useToggleKind();
  useBringCommands({ kinds: () => setOpen(true), thinking: () => toggle('thinking') });
  return (
    <>
      <IconButton
        ref={button}
        icon="eye"
        label="Kinds shown"
        keys="V"
        isOpen={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <Popover
          anchor={button.current}
          label="Kinds shown"
          className="kinds"
          edge="right"
          onClose={() => setOpen(false)}
        >
          <KindSwitches onToggle={toggle} />
        </Popover>
      )}
    </>
  );
}

function useToggleKind(): (kind: HideableKind) => void {
  const { preferences } = useLoom();
  return (kind) =>
    preferences.hidden.update((hidden) =>
      hidden.includes(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind],
    );
}

function KindSwitches({ onToggle }: { onToggle: (kind: HideableKind) => void }): ReactElement {
  const { replica, path } = useConversation();
  const isShown = useStore(useLoom().preferences.isShown);
  const [counts] = useState(() => countKinds(path.getSnapshot().flatMap((id) => replica.nodes.get(id)?.blocks ?? [])));
  return (
    <ul>
      {hideableKinds.map((kind, index) => (
        <li key={kind}>
          <button
            type="button"
            role="switch"
            className="kind-switch"
            aria-checked={isShown(kind)}
            autoFocus={index === 0}
            onClick={() => onToggle(kind)}
          >
            <Icon name={kindNames[kind].icon} />
            <span className="grow">{kindNames[kind].name}</span>
            <span className="quiet figures">{counts[kind]}</span>
            <span className="switch" />
          </button>
        </li>
      ))}
    </ul>
  );
}
