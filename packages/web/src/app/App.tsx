import { useEffect } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import { ConversationContext, useConversation, useLoom } from './loom-context.ts';
import { useConversationTitle } from './use-conversation-title.ts';
import { ConversationPage } from './ConversationPage.tsx';
import { PlacePage } from './PlacePage.tsx';
import { NoticeArea } from './NoticeArea.tsx';
import { Overlays } from './Overlays.tsx';
import type { Place } from './route.ts';
import { Unbroken } from './Unbroken.tsx';
import { SignedOut } from './SignedOut.tsx';
import { useKeys } from '../keys/use-keys.ts';
import { usePageCommands } from '../keys/use-page-commands.ts';
import { Navigator } from '../navigator/Navigator.tsx';
import { forgetSession } from '../session/session.ts';
import { useStore } from '../stores/use-store.ts';
import { WorkHostContext } from '../work/work-host.ts';
import { usePageWorkHost } from './use-work-host.ts';
import { later } from '../ui/later.tsx';

const NamingDialog = later(async () => (await import('../branching/NamingDialog.tsx')).NamingDialog);
const ComparePage = later(async () => (await import('../compare/ComparePage.tsx')).ComparePage, { isPlace: true });
const ReviewPage = later(async () => (await import('../review/ReviewPage.tsx')).ReviewPage, { isPlace: true });
const TextPage = later(async () => (await import('../writing/document/TextPage.tsx')).TextPage, { isPlace: true });
const PhonePlace = later(async () => (await import('./phone/PhonePlace.tsx')).PhonePlace);
const TreePage = later(async () => (await import('../tree/TreePage.tsx')).TreePage, { isPlace: true });

/** The page: navigator, the reader's place, and notices. */
export function App(): ReactElement {
  const loom = useLoom();
  const place = useStore(loom.place);
  const conversation = useStore(loom.conversation);
  const isSignedOut = useStore(loom.isSignedOut);
  const work = usePageWorkHost();
  useTheme();
  useKeys();
  usePageCommands();
  useEffect(() => {
    if (isSignedOut) forgetSession();
  }, [isSignedOut]);
  if (isSignedOut) return <SignedOut reason="This browser is no longer signed in." />;
  return (
    <WorkHostContext value={work}>
      <div className="shell">
        <a className="skip-link" href="#main" onClick={skipToMain}>
          Skip to the content
        </a>
        <Unbroken what="The list of conversations">
          <Navigator />
        </Unbroken>
        <Unbroken what="This page" key={`${place.name} ${conversation?.root ?? ''}`}>
          {conversation === undefined ? (
            <PlacePage key={place.name} place={place} />
          ) : (
            <ConversationContext value={conversation} key={conversation.root}>
              <InConversation place={place} />
              <Naming />
            </ConversationContext>
          )}
        </Unbroken>
        <Overlays />
        <PhonePlace />
        <NoticeArea />
      </div>
    </WorkHostContext>
  );
}

/** Asks for a name, if one was wanted. */
function Naming(): ReactElement | null {
  const naming = useStore(useLoom().workspace.naming);
  return naming === undefined ? null : <NamingDialog key={`${naming.what} ${naming.id}`} naming={naming} />;
}

function InConversation({ place }: { place: Place }): ReactElement {
  if (place.name === 'compare') return <ComparePage left={place.left} right={place.right} />;
  if (place.name === 'text') return <InText block={place.block} />;
  if (place.name === 'review') return <InReview place={place} />;
  return place.name === 'tree' ? <TreePage /> : <ConversationPage />;
}

function InReview({ place: { node, scope, file } }: { place: Extract<Place, { name: 'review' }> }): ReactElement {
  const conversation = useConversation();
  return (
    <ReviewPage conversation={conversation} title={useConversationTitle()} node={node} scope={scope} file={file} />
  );
}

function InText({ block }: { block: string }): ReactElement {
  const { go } = useLoom();
  const conversation = useConversation();
  const leave = (): void => go({ name: 'conversation', root: conversation.root });
  return <TextPage key={block} conversation={conversation} block={block} onLeave={leave} />;
}

/** Moves the focus by script: the part behind # in the address is the block on display. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function useTheme(): void {
  const theme = useStore(useLoom().preferences.theme);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
}
