import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { ConversationsHostContext } from '../conversations/conversations-host.ts';
import { later } from '../ui/later.tsx';
import { useLoom } from './loom-context.ts';
import { NavigatorButton } from './TopBar.tsx';

const ConversationsPage = later(
  async () => (await import('../conversations/ConversationsPage.tsx')).ConversationsPage,
  { isPlace: true },
);

/** The page of all conversations, with the services that it needs. */
export function ConversationsPlace(): ReactElement {
  const { ask, attempt, away, pins, projects, preferences } = useLoom();
  const host = useMemo(() => {
    const { grouping, hasLetterKeys } = preferences;
    return { ask, attempt, away, pins, projects, grouping, hasLetterKeys, navigatorButton: <NavigatorButton /> };
  }, [ask, attempt, away, pins, projects, preferences]);
  return (
    <ConversationsHostContext value={host}>
      <ConversationsPage />
    </ConversationsHostContext>
  );
}
