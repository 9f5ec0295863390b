/** The author of a text. */
export type WordKind = 'user' | 'assistant' | 'reasoning';

interface Waiting {
  readonly kind: WordKind;
  readonly words: string;
  readonly release: () => void;
}

interface Said {
  readonly kind: WordKind;
  readonly words: string;
  /** True once its event has come. */
  isTold: boolean;
  /** True for an event that was written without its item, which may still come. */
  isEvent: boolean;
}

/**
 * Codex writes each message twice: as an item for the model and as an event for people, in either order. The item is kept. An event waits for its
 * item, and is written only if another item comes first or the turn ends.
 */
export class WordPairs {
  readonly #differ: () => void;
  #waiting: Waiting[] = [];
  #said: Said[] = [];
  /** The item right above, if it is a text. */
  #last: Said | undefined;

  /** `differ` is called for a pair whose texts are not the same, as in files from which text was removed. */
  constructor(differ: () => void) {
    this.#differ = differ;
  }

  /** Takes an event. */
  told(kind: WordKind, words: string, release: () => void): void {
    const item = this.#said.find((said) => said.kind === kind && !said.isTold && isSame(kind, said.words, words));
    if (item !== undefined) {
      // The parts of one thought come one by one.
      item.isTold = kind !== 'reasoning';
      return;
    }
    const last = this.#last;
    if (last?.kind === kind && !last.isTold && this.#waiting.length === 0) {
      last.isTold = kind !== 'reasoning';
      this.#differ();
      return;
    }
    this.#waiting.push({ kind, words, release });
  }

  /**
   * Takes an item; events that waited in vain are written first. Texts of the program itself (`isOwn`) have no event. Returns false if its event was
   * already written.
   */
  said(kind: WordKind, words: string, isOwn = false): boolean {
    const event = this.#said.find((said) => said.isEvent && said.kind === kind && said.words.trim() === words.trim());
    if (event !== undefined) {
      event.isEvent = false;
      return false;
    }
    const index = this.#waiting.findIndex((event) => event.kind === kind && isSame(kind, words, event.words));
    let isTold = isOwn;
    if (index !== -1) {
      this.#release(index);
      this.#waiting.shift();
      if (kind === 'reasoning') this.#dropPartsOf(words);
      isTold = kind !== 'reasoning';
    } else if (!isOwn && this.#waiting.length > 0) {
      const isPair =
        this.#waiting.every((event) => event.kind === kind) && (kind === 'reasoning' || this.#waiting.length === 1);
      if (isPair) {
        this.#waiting = [];
        this.#differ();
        isTold = kind !== 'reasoning';
      } else this.#release(this.#waiting.length);
    }
    this.#last = { kind, words, isTold, isEvent: false };
    this.#remember(this.#last);
    return true;
  }

  /** Takes something else that comes after all texts so far. */
  pass(): void {
    this.#last = undefined;
    if (this.#waiting.length > 0) this.#release(this.#waiting.length);
  }

  endTurn(): void {
    this.pass();
    this.#said = [];
  }

  /** Drops the parts of one thought, which come one by one. */
  #dropPartsOf(thought: string): void {
    const next = this.#waiting.findIndex(({ kind, words }) => kind !== 'reasoning' || !isSame(kind, thought, words));
    this.#waiting.splice(0, next === -1 ? this.#waiting.length : next);
  }

  #release(count: number): void {
    for (const { kind, words, release } of this.#waiting.splice(0, count)) {
      release();
      this.#remember({ kind, words, isTold: true, isEvent: true });
    }
  }

  #remember(said: Said): void {
    this.#said.push(said);
    if (this.#said.length > mostSaid) this.#said.shift();
  }
}

/** The number of items of a turn that are compared with an event that comes late. */
const mostSaid = 16;

function isSame(kind: WordKind, item: string, event: string): boolean {
  if (item === event || item.trim() === event.trim()) return true;
  // An event has one part of a thought; for a user message it may leave out the program's additions or the images.
  return kind !== 'assistant' && event !== '' && item.includes(event);
}
