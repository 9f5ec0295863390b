import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { ConversationsHostContext } from '../conversations/conversations-host.ts';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';
import { useLoom } from './loom-context.ts';
import { NavigatorButton } from './TopBar.tsx';

const ConversationsPage = later(
  async () => (await import('../conversations/ConversationsPage.tsx')).ConversationsPage,
  { isPlace: true },
);

/** The page of all conversations, with the services that it needs. */
export function ConversationsPlace(): ReactElement {
  const { ask, attempt, away, list, notices, pins, projects, preferences, place, readBlob, go } = useLoom();
  const here = useStore(place);
  const filters = here.name === 'conversations' ? (here.filters ?? '') : '';
  const host = useMemo(() => {
    const { grouping, hasLetterKeys } = preferences;
    const onFilters = (written: string): void =>
      go({ name: 'conversations', ...(written === '' ? {} : { filters: written }) }, { replace: true });
    const services = { ask, attempt, away, list, notices, pins, projects, readBlob };
    return { ...services, grouping, hasLetterKeys, filters, onFilters, navigatorButton: <NavigatorButton /> };
  }, [ask, attempt, away, list, notices, pins, projects, readBlob, preferences, filters, go]);
  return (
    <ConversationsHostContext value={host}>
      <ConversationsPage />
    </ConversationsHostContext>
  );
}
