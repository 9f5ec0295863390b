import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Store } from '../stores/store.ts';
import { useStore } from '../stores/use-store.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { isInstalled } from './install.ts';
import type { InstallHintState } from './install.ts';
import './phone.css';

/** Says once that the page can be installed. Its cross ends it for good. */
export function InstallHint({ hint }: { hint: Store<InstallHintState> }): ReactElement | null {
  const state = useStore(hint);
  const [isOpen, setOpen] = useState(false);
  if (state !== 'due' || isInstalled()) return null;
  return (
    <div className="install-hint" role="region" aria-label="Install Loom">
      <Icon name="phone" />
      <span className="grow">Add Loom to your home screen to get a notification when an agent needs you.</span>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        How to
      </button>
      <IconButton icon="close" label="Not now" onClick={() => hint.set('over')} />
      {isOpen && <HowTo onClose={() => setOpen(false)} />}
    </div>
  );
}

function HowTo({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Modal label="Add Loom to your home screen" className="sheet" onClose={onClose}>
      <h2>Add Loom to your home screen</h2>
      <ul className="how-to">
        <li>
          <strong>iPhone and iPad:</strong> in Safari, tap Share, then Add to Home Screen.
        </li>
        <li>
          <strong>Android:</strong> in the browser’s menu, tap Install app or Add to Home screen.
        </li>
        <li>
          <strong>Computers:</strong> use the install button in the address bar of Chrome or Edge.
        </li>
      </ul>
      <p className="aside">
        Browsers install pages from addresses that begin with https://. Then turn notifications on in Settings, General.
      </p>
      <div className="sheet-actions">
        <button type="button" className="button button-primary" data-safe onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}
