import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import type { Theme } from '../app/preferences.ts';
import { useStore } from '../stores/use-store.ts';
import { Switch } from '../ui/Switch.tsx';
import { EditorSetting } from './EditorSetting.tsx';
import { NotificationSetting } from './NotificationSetting.tsx';
import { PushSetting } from './PushSetting.tsx';

const themes: readonly { value: Theme; text: string }[] = [
  { value: 'system', text: 'System' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

/** The preferences of the reader of this browser. */
export function GeneralSection(): ReactElement {
  const { preferences } = useLoom();
  const theme = useStore(preferences.theme);
  const hasLetterKeys = useStore(preferences.hasLetterKeys);
  return (
    <>
      <h2>General</h2>
      <p className="settings-note">Kept in this browser.</p>
      <fieldset className="setting">
        <legend>Theme</legend>
        <div className="segments">
          {themes.map(({ value, text }) => (
            <label key={value} className="segment">
              <input
                type="radio"
                name="theme"
                checked={theme === value}
                onChange={() => preferences.theme.set(value)}
              />
              <span>{text}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="setting setting-line">
        <div className="grow">
          <h3>Letter keys</h3>
          <p>Single letters act outside text fields: J and K walk, E edits, F forks. Keys with Ctrl always act.</p>
        </div>
        <Switch label="Letter keys" isOn={hasLetterKeys} onChange={(isOn) => preferences.hasLetterKeys.set(isOn)} />
      </div>
      <NotificationSetting isOn={preferences.hasNotifications} />
      <PushSetting />
      <EditorSetting />
    </>
  );
}
