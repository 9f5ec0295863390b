import { useState } from 'react';
import type { ReactElement } from 'react';
import { IconButton } from '../../ui/IconButton.tsx';
import { frameAddress } from './frame-address.ts';

/**
 * A page as a model wrote it, in a frame that has no origin and its own policy: no scripts, no network, no way out. The frame's document
 * receives the markup as a message, so that nothing of it is ever markup here.
 */
export function PageFrame({ code }: { code: string }): ReactElement {
  const [isLarge, setLarge] = useState(false);
  return (
    <div className={isLarge ? 'page-frame page-frame-large' : 'page-frame'}>
      <iframe
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        title="Page preview"
        src={frameAddress('preview')}
        // A frame without an origin has no address that a message could be restricted to; its document is this server's.
        onLoad={({ currentTarget }) => currentTarget.contentWindow?.postMessage(code, '*')}
      />
      <IconButton
        icon="expand"
        label={isLarge ? 'Shrink the preview' : 'Enlarge the preview'}
        isSmall
        onClick={() => setLarge(!isLarge)}
      />
    </div>
  );
}
