import type { ReactElement } from 'react';
import { useConversation } from '../app/loom-context.ts';
import { ChangesCount, ChangesTab as ReviewChanges } from '../review/ChangesTab.tsx';

/** The changed files of the branch on display. */
export function ChangesTab(): ReactElement {
  return <ReviewChanges conversation={useConversation()} />;
}

/** The number of them, in the last turn. */
export function LastChangesCount(): ReactElement {
  return <ChangesCount conversation={useConversation()} />;
}
