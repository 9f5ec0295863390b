import type { ReactNode } from 'react';
import type { ListView } from '@loom/sync';
import type { ReadableStore } from '../stores/store.ts';
import type { Store } from '../stores/store.ts';
import type { WaitingPart } from './turn-notices.ts';

/** The places of the bar at the bottom of a phone. */
export type TabName = 'needs-you' | 'agents' | 'conversations' | 'search';

/** The services that an installed page, its notifications and the bar of a phone need from the page around them. */
export interface PhoneHost {
  readonly list: ReadableStore<ListView>;
  readonly waiting: ReadableStore<WaitingPart>;
  readonly hasNotifications: Store<boolean>;
  /** Goes to an address of the page. */
  readonly open: (path: string) => void;
  /** Draws a link to a place of the bar. */
  readonly link: (name: TabName, isCurrent: boolean, content: ReactNode) => ReactNode;
  /** The place on display, if the bar belongs there: not in a conversation, whose field has the bottom of the screen. */
  readonly place: TabName | 'other' | undefined;
}
