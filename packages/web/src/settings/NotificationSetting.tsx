import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Store } from '../stores/store.ts';
import { useStore } from '../stores/use-store.ts';
import { Switch } from '../ui/Switch.tsx';

/** The switch for notifications. Turning it on asks the browser, which asks its reader. */
export function NotificationSetting({ isOn: store }: { isOn: Store<boolean> }): ReactElement {
  const isWanted = useStore(store);
  const [problem, setProblem] = useState<string>();
  const isPossible = 'Notification' in globalThis;
  const isOn = isWanted && isPossible && Notification.permission === 'granted';
  const change = async (wanted: boolean): Promise<void> => {
    setProblem(undefined);
    if (wanted && (await Notification.requestPermission()) !== 'granted') {
      setProblem(
        'This browser does not allow it. Allow notifications for this address in its settings, then try again.',
      );
      return;
    }
    store.set(wanted);
  };
  return (
    <div className="setting setting-line">
      <div className="grow">
        <h3>Notifications</h3>
        <p>
          Tells you when a turn ends or needs you while you look elsewhere: which agent, which project, which
          conversation. It never shows a command or what was said.
        </p>
        {!isPossible && <p>This browser has no notifications, or only for pages with an https address.</p>}
        {problem !== undefined && <p role="alert">{problem}</p>}
      </div>
      {isPossible && <Switch label="Notifications" isOn={isOn} onChange={(wanted) => void change(wanted)} />}
    </div>
  );
}
