import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { switchTheme } from '../app/switch-theme.ts';
import type { Place } from '../app/route.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { later } from '../ui/later.tsx';
import { count } from '../words/amounts.ts';

const ImportStrip = later(async () => (await import('../importing/ImportStrip.tsx')).ImportStrip);

export function NavigatorFoot(): ReactElement {
  const { go, imports, isNavigatorOpen, list, preferences, projects } = useLoom();
  const { jobs } = useStore(list);
  const { all, isKnown } = useStore(projects.view);
  const isSending = useStore(imports.sending) !== undefined;
  const isImporting = isSending || jobs.some(({ kind, state }) => kind === 'import.start' && state === 'running');
  const leave = (place: Place) => (): void => {
    isNavigatorOpen.set(false);
    go(place);
  };
  return (
    <>
      {isImporting && <ImportStrip />}
      <div className="navigator-foot">
        <PlaceLink place={{ name: 'conversations' }} className="grow cut figures navigator-all">
          {isKnown ? `All ${count(all, 'conversation')}` : 'All conversations'}
        </PlaceLink>
        <IconButton icon="download" label="Import" isSmall onClick={leave({ name: 'settings', section: 'import' })} />
        <IconButton icon="theme" label="Switch theme" isSmall onClick={() => switchTheme(preferences.theme)} />
        <IconButton icon="settings" label="Settings" keys="G S" isSmall onClick={leave({ name: 'settings' })} />
      </div>
    </>
  );
}
