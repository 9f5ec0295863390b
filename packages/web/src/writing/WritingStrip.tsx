import { useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { count } from '../words/amounts.ts';
import { useWorkHost } from '../work/work-host.ts';
import { useLate } from '../ui/use-late.ts';
import { allowEditing, rootsWithTyping } from './allow-editing.ts';
import { useKeptTexts } from './kept-texts.ts';
import { KeptWriting } from './KeptWriting.tsx';
import { LostEdits } from './losses/LostEdits.tsx';
import { lossesOf } from './losses/losses.ts';
import './presence/presence.css';
import './writing.css';

/** The time in which the server answers a page that is loaded, in milliseconds. */
const usually = 1000;

/** Tells what has become of words that were typed before: taken in again after a reload, kept while offline, or lost. */
export function WritingStrip({
  conversation,
  isAlone = false,
}: {
  conversation: OpenConversation;
  /** True where one text is all that the page shows. */
  isAlone?: boolean;
}): ReactElement {
  const { agent, attempt, showConversation } = useWorkHost();
  const { root } = conversation;
  const [elsewhere, setElsewhere] = useState<readonly string[]>([]);
  useEffect(() => {
    attempt(async () => {
      const roots = await rootsWithTyping(agent);
      setElsewhere(roots.filter((other) => other !== root));
      const hasLosses = lossesOf(conversation, agent).getSnapshot().length > 0;
      // The means of editing are loaded only where something was left.
      if (roots.includes(root) || hasLosses) await allowEditing(conversation, agent);
    });
  }, [conversation, root, agent, attempt]);
  return (
    <>
      <Unsaved conversation={conversation} />
      {elsewhere.length > 0 && (
        <p className="writing-strip" role="status">
          <span className="save-mark save-mark-away" aria-hidden="true" />
          <span className="grow">
            {elsewhere.length === 1
              ? 'What you typed in another conversation isn’t saved yet. Open it to send it.'
              : `What you typed in ${elsewhere.length} other conversations isn’t saved yet. Open them to send it.`}
          </span>
          <button type="button" className="text-button" onClick={() => showConversation(elsewhere[0] ?? root)}>
            Open
          </button>
        </p>
      )}
      {!isAlone && <Kept conversation={conversation} />}
      <LostEdits conversation={conversation} />
    </>
  );
}

/** The texts that were being written, if the server is not there to say anything else. */
function Kept({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const blocks = useKeptTexts(conversation);
  const isUnknown = usePart(conversation.watch.whole, () => conversation.replica.cursor === undefined);
  const isAway = useLate(isUnknown, usually);
  const [wasAway, setWasAway] = useState(false);
  if (isAway && !wasAway) setWasAway(true);
  return wasAway && blocks.length > 0 ? <KeptWriting conversation={conversation} blocks={blocks} /> : null;
}

/** Says how many texts have words that are on this computer alone, while the server is away. */
function Unsaved({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const { replica, watch } = conversation;
  const { status } = useStore(watch.whole);
  const texts = useSyncExternalStore(watch.whole.subscribe, () => replica.unsaved.length);
  if (status === 'live' || texts === 0) return null;
  return (
    <p className="writing-strip" role="status">
      <span className="save-mark save-mark-away" aria-hidden="true" />
      Edits in {count(texts, 'text')} are kept on this computer and will be merged.
    </p>
  );
}
