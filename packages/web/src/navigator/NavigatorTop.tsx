import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';

/** The ways to search, waiting calls, bookmarks and usage. */
export function NavigatorTop(): ReactElement {
  const { go, isNavigatorOpen, palette, waiting } = useLoom();
  const { calls } = useStore(waiting);
  const leave = (act: () => void) => (): void => {
    isNavigatorOpen.set(false);
    act();
  };
  return (
    <div className="navigator-top">
      <div className="brand">
        <Icon name="loom" />
        <span className="grow">Loom</span>
        <IconButton icon="plus" label="New conversation" keys="N" isSmall onClick={leave(() => go({ name: 'new' }))} />
        <span className="only-narrow">
          <IconButton icon="close" label="Close" onClick={() => isNavigatorOpen.set(false)} />
        </span>
      </div>
      <button type="button" className="navigator-search" onClick={leave(() => palette.open())}>
        <Icon name="search" />
        <span className="grow">Search everything</span>
        <kbd>Ctrl K</kbd>
      </button>
      <NavigatorLink name="needs-you" icon="needs" text="Needs you" waiting={calls.length} />
      <NavigatorLink name="agents" icon="board" text="Agents" running={useRunning()} />
      <NavigatorLink name="bookmarks" icon="bookmark" text="Bookmarks" />
      <NavigatorLink name="usage" icon="usage" text="Usage" />
    </div>
  );
}

/** The number of turns that run without waiting for a person, as far as the list says. */
function useRunning(): number {
  return usePart(useLoom().list, ({ items }) =>
    items.reduce((sum, { running, needs }) => sum + (needs.length > 0 ? 0 : running.length), 0),
  );
}

interface LinkProps {
  name: 'needs-you' | 'agents' | 'bookmarks' | 'usage';
  icon: IconName;
  text: string;
  waiting?: number;
  running?: number;
}

function NavigatorLink({ name, icon, text, waiting = 0, running = 0 }: LinkProps): ReactElement {
  const here = useStore(useLoom().place);
  return (
    <PlaceLink place={{ name }} className="navigator-link" isCurrent={here.name === name}>
      <Icon name={icon} />
      <span className="grow">{text}</span>
      {running > 0 && <span className="count count-running">{running} running</span>}
      {waiting > 0 && (
        <span className="count count-waiting">
          {waiting}
          <span className="unseen"> waiting</span>
        </span>
      )}
    </PlaceLink>
  );
}
