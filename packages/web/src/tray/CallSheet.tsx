import type { ReactElement } from 'react';
import { Modal } from '../ui/floating/Modal.tsx';
import { TrayCall } from './TrayCall.tsx';
import type { TrayItem } from './tray-items.ts';
import '../phone/phone.css';

/** One waiting call over the others: the place that a notification leads to. */
export function CallSheet({ item, now, onClose }: { item: TrayItem; now: number; onClose: () => void }): ReactElement {
  return (
    <Modal label="Decide" className="sheet" onClose={onClose}>
      <TrayCall item={item} now={now} />
      <div className="sheet-actions">
        <button type="button" className="button" data-safe onClick={onClose}>
          Later
        </button>
      </div>
    </Modal>
  );
}
