import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { switchTheme } from '../app/switch-theme.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { later } from '../ui/later.tsx';
import { count } from '../words/amounts.ts';

const ImportStrip = later(async () => (await import('../importing/ImportStrip.tsx')).ImportStrip);

export function NavigatorFoot(): ReactElement {
  const { go, imports, isNavigatorOpen, list, preferences } = useLoom();
  const { items, next, status, jobs } = useStore(list);
  const isSending = useStore(imports.sending) !== undefined;
  const isImporting = isSending || jobs.some(({ kind, state }) => kind === 'import.start' && state === 'running');
  const settings = (): void => {
    isNavigatorOpen.set(false);
    go({ name: 'settings' });
  };
  return (
    <>
      {isImporting && <ImportStrip />}
      <div className="navigator-foot">
        <span className="grow cut figures">
          {status === 'joining' && items.length === 0
            ? ''
            : next === undefined
              ? count(items.length, 'conversation')
              : `more than ${count(items.length, 'conversation')}`}
        </span>
        <IconButton icon="theme" label="Switch theme" isSmall onClick={() => switchTheme(preferences.theme)} />
        <IconButton icon="settings" label="Settings" keys="G S" isSmall onClick={settings} />
      </div>
    </>
  );
}
