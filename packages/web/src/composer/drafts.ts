import type { TextStorage } from '../stores/kept-store.ts';

const prefix = 'loom-draft ';

/** The texts typed and not sent, by place; kept at once, so that no reload loses one. */
export class Drafts {
  readonly #storage: TextStorage;

  constructor(storage: TextStorage) {
    this.#storage = storage;
  }

  read(place: string): string {
    try {
      return this.#storage.getItem(prefix + place) ?? '';
    } catch {
      return '';
    }
  }

  keep(place: string, text: string): void {
    try {
      if (text === '') this.#storage.removeItem(prefix + place);
      else this.#storage.setItem(prefix + place, text);
    } catch {
      // Full, or not allowed here: the text is still in the field.
    }
  }
}
