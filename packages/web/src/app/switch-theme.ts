import type { Store } from '../stores/store.ts';
import type { Theme } from './preferences.ts';

/** Switches from light to dark, or back. */
export function switchTheme(theme: Store<Theme>): void {
  const now = theme.getSnapshot();
  const isDark = now === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : now === 'dark';
  theme.set(isDark ? 'light' : 'dark');
}
