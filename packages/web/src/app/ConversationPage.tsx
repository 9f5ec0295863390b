import type { ReactElement } from 'react';
import { useConversation, useLoom } from './loom-context.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Unbroken } from './Unbroken.tsx';
import { TopBar } from './TopBar.tsx';
import { Composer } from '../composer/Composer.tsx';
import { Timeline } from '../timeline/Timeline.tsx';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';

const AnswersView = later(async () => (await import('../answers/AnswersView.tsx')).AnswersView, { isPlace: true });
const ChangesPin = later(async () => (await import('../review/ChangesPin.tsx')).ChangesPin);
const DraftPane = later(async () => (await import('../writing/drafts/DraftPane.tsx')).DraftPane);
const WritingStrip = later(async () => (await import('../writing/WritingStrip.tsx')).WritingStrip);
const Inspector = later(async () => (await import('../inspector/Inspector.tsx')).Inspector);

/** One conversation: the messages of the branch on display, and the field to go on. */
export function ConversationPage(): ReactElement {
  const conversation = useConversation();
  const { status } = useStore(conversation.watch.whole);
  const { place, preferences } = useLoom();
  const hasInspector = useStore(preferences.hasInspector);
  const here = useStore(place);
  if (here.name === 'conversation' && here.view === 'answers' && here.node !== undefined) {
    return <AnswersView node={here.node} />;
  }
  return (
    <>
      <main id="main" tabIndex={-1} className="main">
        <TopBar />
        <ConnectionBanner status={status} />
        {status === 'refused' ? (
          <p className="middle">This conversation does not exist, or you do not have access to it.</p>
        ) : (
          <Unbroken what="The conversation">
            <Timeline />
          </Unbroken>
        )}
        <WritingStrip conversation={conversation} />
        <Unbroken what="The message field">
          <Composer changes={<ChangesPin conversation={conversation} />} />
        </Unbroken>
      </main>
      <DraftPane conversation={conversation} />
      {hasInspector && (
        <Unbroken what="The inspector">
          <Inspector />
        </Unbroken>
      )}
    </>
  );
}
