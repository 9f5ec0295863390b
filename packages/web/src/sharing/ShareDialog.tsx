import { useState } from 'react';
import type { ReactElement } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { Modal } from '../ui/floating/Modal.tsx';
import type { MadeShare } from './share-answers.ts';
import { MadeLink } from './MadeLink.tsx';
import { NewLink } from './NewLink.tsx';
import './sharing.css';

/** The conversation to share, and the message that the branch ends at. */
export interface ShareWish {
  readonly root: string;
  /** `undefined`: the most recent branch. */
  readonly node?: string;
}

interface ShareDialogProps {
  wish: ShareWish;
  /** The name of the conversation. */
  title: string;
  onClose: () => void;
}

/** Shows a branch or a conversation to others, by a link or as a file. The secrets in it are listed before anything leaves. */
export function ShareDialog({ wish, title, onClose }: ShareDialogProps): ReactElement {
  const [made, setMade] = useState<MadeShare>();
  const name = title === '' ? 'Share' : `Share “${title}”`;
  return (
    <Modal label={name} onClose={onClose} className="dialog-share">
      <div className="share-dialog">
        <header>
          <h2 className="grow">{name}</h2>
          <IconButton icon="close" label="Close" isSmall onClick={onClose} />
        </header>
        {made === undefined ? (
          <NewLink wish={wish} onMade={setMade} onClose={onClose} />
        ) : (
          <MadeLink made={made} onClose={onClose} />
        )}
      </div>
    </Modal>
  );
}
