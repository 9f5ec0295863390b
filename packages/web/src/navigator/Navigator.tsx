import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { useMedia } from '../ui/use-media.ts';
import { ConversationList } from './ConversationList.tsx';
import { NavigatorFoot } from './NavigatorFoot.tsx';
import { NavigatorTop } from './NavigatorTop.tsx';
import { usePageTitle } from './use-page-title.ts';

/** All conversations, the last changed first, and the ways to everything else. On narrow screens it is a drawer. */
export function Navigator(): ReactElement | null {
  const { isNavigatorOpen, notices } = useLoom();
  const failure = useStore(notices.failure);
  const isOpen = useStore(isNavigatorOpen);
  const isNarrow = useMedia('(max-width: 839px)');
  usePageTitle();
  useEffect(() => {
    // Failures are shown outside of the drawer.
    if (failure !== undefined) isNavigatorOpen.set(false);
  }, [failure, isNavigatorOpen]);
  if (!isNarrow) return <Content />;
  if (!isOpen) return null;
  return (
    <Modal label="Conversations" className="drawer" onClose={() => isNavigatorOpen.set(false)}>
      <Content />
    </Modal>
  );
}

function Content(): ReactElement {
  return (
    <nav className="navigator" aria-label="Conversations">
      <NavigatorTop />
      <ConversationList />
      <NavigatorFoot />
    </nav>
  );
}
