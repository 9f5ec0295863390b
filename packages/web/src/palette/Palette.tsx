import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';

const PaletteDialog = later(async () => (await import('./PaletteDialog.tsx')).PaletteDialog, {
  takesKeys: true,
});

/** One field for everything: actions, conversations, and all texts. Ctrl K opens it wherever the focus is. */
export function Palette(): ReactElement | null {
  const { palette } = useLoom();
  const start = useStore(palette.start);
  useBringCommands({ search: () => palette.open(), find: () => palette.open('in:this ') });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const start = palette.start.getSnapshot();
      const isWanted = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isWanted || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (start === undefined) palette.open();
      else palette.close();
    };
    // In text fields too, and before anything else takes the key.
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [palette]);
  return start === undefined ? null : <PaletteDialog start={start} onClose={palette.close} />;
}
