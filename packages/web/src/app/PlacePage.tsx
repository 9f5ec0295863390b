import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { BookmarksPage } from '../bookmarks/BookmarksPage.tsx';
import { SettingsPage } from '../settings/SettingsPage.tsx';
import { TrayPage } from '../tray/TrayPage.tsx';
import { NewConversation } from './NewConversation.tsx';
import type { Place } from './route.ts';

const ComponentsPage = lazy(async () => {
  const { ComponentsPage: page } = await import('../components/ComponentsPage.tsx');
  return { default: page };
});

const UsagePage = lazy(async () => {
  const { UsagePage: page } = await import('../usage/UsagePage.tsx');
  return { default: page };
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
      return (
        <Suspense>
          <UsagePage />
        </Suspense>
      );
    case 'components':
      return (
        <Suspense>
          <ComponentsPage />
        </Suspense>
      );
    default:
      return <NewConversation />;
  }
}
