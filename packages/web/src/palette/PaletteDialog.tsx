import { useRef } from 'react';
import type { ReactElement } from 'react';
import { Modal } from '../ui/floating/Modal.tsx';
import { PaletteBox } from './PaletteBox.tsx';

/** The palette while it is open. */
export function PaletteDialog({ start, onClose }: { start: string; onClose: () => void }): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Modal label="Search everything" className="palette" onClose={onClose} initialFocus={field}>
      <PaletteBox start={start} field={field} />
    </Modal>
  );
}
