import type { ReactElement } from 'react';
import { later } from '../ui/later.tsx';
import { NewConversation } from './NewConversation.tsx';
import type { Place } from './route.ts';

const TrayPage = later(async () => (await import('../tray/TrayPage.tsx')).TrayPage);
const SettingsPage = later(async () => (await import('../settings/SettingsPage.tsx')).SettingsPage);
const BookmarksPage = later(async () => (await import('../bookmarks/BookmarksPage.tsx')).BookmarksPage);
const UsagePage = later(async () => (await import('../usage/UsagePage.tsx')).UsagePage);
const ComponentsPage = later(async () => (await import('../components/ComponentsPage.tsx')).ComponentsPage, {
  isExpected: false,
});

/** A place that is no conversation. */
export function PlacePage({ name }: Pick<Place, 'name'>): ReactElement {
  switch (name) {
    case 'needs-you':
      return <TrayPage />;
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
