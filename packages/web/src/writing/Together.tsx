import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { DraftsButton } from './drafts/DraftsButton.tsx';
import { WhoIsHere } from './presence/WhoIsHere.tsx';

/** In the bar above a conversation: who is here, and its drafts. */
export function Together({ conversation }: { conversation: OpenConversation }): ReactElement {
  return (
    <>
      <WhoIsHere conversation={conversation} />
      <DraftsButton conversation={conversation} />
    </>
  );
}
