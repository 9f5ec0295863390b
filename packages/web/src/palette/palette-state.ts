import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { Store } from '../stores/store.ts';

/** The number of searches remembered. */
const most = 6;

/** The state of the palette: its opening text while it is open, and the recent searches. */
export class PaletteState {
  readonly start = new Store<string | undefined>(undefined);
  readonly recent: Store<readonly string[]>;

  constructor(storage: TextStorage) {
    this.recent = keptStore<readonly string[]>(storage, 'loom-recent-searches', {
      read: (value) => (Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined),
      otherwise: [],
    });
  }

  readonly open = (text = ''): void => this.start.set(text);

  readonly close = (): void => this.start.set(undefined);

  /** A search led somewhere: it may be wanted again. */
  remember(text: string): void {
    if (text !== '') this.recent.update((recent) => [text, ...recent.filter((other) => other !== text)].slice(0, most));
  }
}
