import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { useStore } from '../stores/use-store.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { PaletteBox } from './PaletteBox.tsx';

/** One field for everything: what can be done, conversations, and all texts. Ctrl K opens it wherever the focus is. */
export function Palette(): ReactElement | null {
  const { palette } = useLoom();
  const start = useStore(palette.start);
  const field = useRef<HTMLInputElement>(null);
  useBringCommands({ search: () => palette.open(), find: () => palette.open('in:this ') });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isWanted = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isWanted || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (palette.start.getSnapshot() === undefined) palette.open();
      else palette.close();
    };
    // In text fields too, and before anything else takes the key.
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [palette]);
  if (start === undefined) return null;
  return (
    <Modal label="Search everything" className="palette" onClose={palette.close} initialFocus={field}>
      <PaletteBox start={start} field={field} />
    </Modal>
  );
}
