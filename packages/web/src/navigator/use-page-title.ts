import { useEffect } from 'react';
import { useLoom } from '../app/loom-context.ts';
import type { Place } from '../app/route.ts';
import icon from '../styles/icon.svg';
import waitingIcon from '../styles/icon-waiting.svg';
import { useStore } from '../stores/use-store.ts';
import { nameOf } from './navigator-rows.ts';
import { pageTitle } from './page-title.ts';
import { useListedRoot } from './use-listed-root.ts';

const names: { readonly [Name in Place['name']]?: string } = {
  'needs-you': 'Needs you',
  conversations: 'Conversations',
  agents: 'Agents',
  bookmarks: 'Bookmarks',
  usage: 'Usage',
  settings: 'Settings',
};

/** The browser's tab tells where the reader is and how much waits, by its title and its icon. */
export function usePageTitle(): void {
  const { place, waiting } = useLoom();
  const here = useStore(place);
  const { calls } = useStore(waiting);
  const listed = useListedRoot(here.name === 'conversation' ? here.root : '');
  const title = pageTitle(calls.length, listed === undefined ? names[here.name] : nameOf(listed));
  useEffect(() => {
    document.title = title;
  }, [title]);
  const hasWaiting = calls.length > 0;
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link !== null) link.href = hasWaiting ? waitingIcon : icon;
  }, [hasWaiting]);
}
