import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import type { Store } from '../stores/store.ts';

/** The state of the hint to install the page: not due yet, on display, or over for good. */
export type InstallHintState = 'later' | 'due' | 'over';

export function installHint(storage: TextStorage): Store<InstallHintState> {
  return keptStore<InstallHintState>(storage, 'loom-install-hint', {
    read: (value) => (value === 'due' || value === 'over' ? value : undefined),
    otherwise: 'later',
  });
}

/** Notes that something was approved: on a phone, the first time is when the hint is of use. */
export function noteApproval(hint: Store<InstallHintState>): void {
  const isPhone = matchMedia('(max-width: 599px)').matches;
  if (isPhone && !isInstalled() && hint.getSnapshot() === 'later') hint.set('due');
}

/** Returns true if the page runs as an app of its own. */
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true;
}
