import type { ReactElement } from 'react';
import { later } from '../ui/later.tsx';
import { BoardPlace } from './BoardPlace.tsx';
import { ConversationsPlace } from './ConversationsPlace.tsx';
import { NewConversation } from './NewConversation.tsx';
import type { Place } from './route.ts';

const asPlace = { isPlace: true };
const TrayPage = later(async () => (await import('../tray/TrayPage.tsx')).TrayPage, asPlace);
const SettingsPage = later(async () => (await import('../settings/SettingsPage.tsx')).SettingsPage, asPlace);
const BookmarksPage = later(async () => (await import('../bookmarks/BookmarksPage.tsx')).BookmarksPage, asPlace);
const SearchPage = later(async () => (await import('../palette/page/SearchPage.tsx')).SearchPage, asPlace);
const UsagePage = later(async () => (await import('../usage/UsagePage.tsx')).UsagePage, asPlace);
const ComponentsPage = later(async () => (await import('../components/ComponentsPage.tsx')).ComponentsPage, {
  ...asPlace,
  isExpected: false,
});

/** A place other than a conversation. */
export function PlacePage({ place }: { place: Place }): ReactElement {
  switch (place.name) {
    case 'conversations':
      return <ConversationsPlace />;
    case 'needs-you':
      return <TrayPage />;
    case 'agents':
      return <BoardPlace question={place.question} />;
    case 'search':
      return <SearchPage />;
    case 'bookmarks':
      return <BookmarksPage />;
    case 'settings':
      return <SettingsPage />;
    case 'usage':
      return <UsagePage />;
    case 'components':
      return <ComponentsPage />;
    default:
      return <NewConversation />;
  }
}
