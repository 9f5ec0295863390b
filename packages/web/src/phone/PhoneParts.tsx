import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { useMedia } from '../ui/use-media.ts';
import { followNotifications, registerWorker, showNotice } from './page-worker.ts';
import type { PhoneHost, TabName } from './phone-host.ts';
import { TurnNotices } from './turn-notices.ts';
import './phone.css';

/** The parts of an app around the page: its worker, its notifications and, on a phone, the bar at the bottom. */
export function PhoneParts({ host }: { host: PhoneHost }): ReactElement | null {
  const isNarrow = useMedia('(max-width: 839px)');
  const { open } = host;
  useEffect(() => void registerWorker(), []);
  useEffect(() => followNotifications(open), [open]);
  useNotices(host);
  return isNarrow && host.place !== undefined ? <TabBar host={host} /> : null;
}

const tabs: readonly { name: TabName; icon: IconName; text: string }[] = [
  { name: 'needs-you', icon: 'needs', text: 'Needs you' },
  { name: 'agents', icon: 'board', text: 'Agents' },
  { name: 'conversations', icon: 'message', text: 'Conversations' },
  { name: 'search', icon: 'search', text: 'Search' },
];

/** The four places that a thumb reaches. */
function TabBar({ host: { waiting, place, link } }: { host: PhoneHost }): ReactElement {
  const count = usePart(waiting, ({ calls }) => calls.length);
  return (
    <nav className="tab-bar" aria-label="Main">
      {tabs.map(({ name, icon, text }) => (
        <span key={name} className="tab-place">
          {link(
            name,
            place === name,
            <>
              <Icon name={icon} />
              <span>{text}</span>
              {name === 'needs-you' && count > 0 && (
                <span className="count count-waiting">
                  {count}
                  <span className="unseen"> waiting</span>
                </span>
              )}
            </>,
          )}
        </span>
      ))}
    </nav>
  );
}

/** Tells a reader who looks elsewhere of calls that begin to wait and turns that end. */
function useNotices({ list, waiting, hasNotifications }: PhoneHost): void {
  const isOn = useStore(hasNotifications);
  useEffect(() => {
    if (!isOn) return undefined;
    const notices = new TurnNotices();
    const tell = (found: ReturnType<TurnNotices['ofList']>): void => {
      const isSeen = document.visibilityState === 'visible' && document.hasFocus();
      if (!isSeen && Notification.permission === 'granted') for (const notice of found) void showNotice(notice);
    };
    const lookAtCalls = (): void => tell(notices.ofWaiting(waiting.getSnapshot()));
    const lookAtList = (): void => tell(notices.ofList(list.getSnapshot()));
    lookAtCalls();
    lookAtList();
    const ends = [waiting.subscribe(lookAtCalls), list.subscribe(lookAtList)];
    return () => {
      for (const end of ends) end();
    };
  }, [isOn, list, waiting]);
}
