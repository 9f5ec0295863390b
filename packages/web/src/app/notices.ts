import { Store } from '../stores/store.ts';

/** A notice shown to the reader for a few seconds, perhaps with one action. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** The notices of the page: one short-lived notice at a time, failures until they are closed, and announcements to screen readers. */
export class Notices {
  readonly toast = new Store<Notice | undefined>(undefined);
  readonly failure = new Store<string | undefined>(undefined);
  /** The one polite live region. */
  readonly spoken = new Store('');
  #count = 0;

  tell(text: string, action?: Notice['action']): void {
    this.#count += 1;
    this.toast.set({ id: this.#count, text, ...(action === undefined ? {} : { action }) });
  }

  fail(text: string): void {
    this.failure.set(text);
  }

  speak(text: string): void {
    this.spoken.set(text);
  }
}
