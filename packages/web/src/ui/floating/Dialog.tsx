import type { ReactElement, ReactNode } from 'react';
import { Modal } from './Modal.tsx';

interface DialogProps {
  /** Its subject; read aloud when it opens. */
  title: string;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/** A dialog under a heading that has to be answered or closed before the page goes on. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps): ReactElement {
  return (
    <Modal label={title} onClose={onClose} className={isWide ? 'dialog-wide' : 'dialog-narrow'}>
      <div className="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </Modal>
  );
}
