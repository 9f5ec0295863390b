import type { EditedText } from './edited-text.ts';

/** The shortest time between two places that are told, in milliseconds. */
const pause = 80;

interface Clock {
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/**
 * Tells others where the reader is. A place is one of the server's text, so it waits until everything typed is saved; and it is told again
 * when others have changed the text, since it may have been on its way beside their change.
 */
export class CursorSender {
  readonly #text: Pick<EditedText, 'isSaved' | 'showCursor'>;
  readonly #read: () => { readonly anchor: number; readonly head: number } | undefined;
  readonly #clock: Clock;
  #isDue = false;
  #stop: (() => void) | undefined;

  /** `read` returns the selection, or `undefined` while it is none of the text as the replica has it. */
  constructor(
    text: Pick<EditedText, 'isSaved' | 'showCursor'>,
    read: () => { readonly anchor: number; readonly head: number } | undefined,
    clock: Clock,
  ) {
    this.#text = text;
    this.#read = read;
    this.#clock = clock;
  }

  /** Notes that the selection, or the text around it, is another one. */
  note(): void {
    this.#isDue = true;
    this.#stop ??= this.#clock.after(pause, () => {
      this.#stop = undefined;
      this.look();
    });
  }

  /** Tells the place if it is time to. */
  look(): void {
    if (!this.#isDue || this.#stop !== undefined || !this.#text.isSaved()) return;
    const place = this.#read();
    if (place === undefined) return;
    this.#isDue = false;
    this.#text.showCursor(place.anchor, place.head);
  }

  close(): void {
    this.#stop?.();
    this.#isDue = false;
  }
}
