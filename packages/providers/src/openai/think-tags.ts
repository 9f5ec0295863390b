/** A piece of a model's text, or of its thoughts. */
export interface Piece {
  type: 'text' | 'reasoning';
  text: string;
}

const opening = '<think>';
const closing = '</think>';

/**
 * Takes the thoughts out of an answer that begins with `<think>`: servers without support for reasoning pass on the model's raw text. Only the very
 * beginning counts; tags further down are content of the answer. White space around the tags belongs to them. The result does not depend on how the
 * text is cut.
 */
export class ThinkTags {
  #state: 'beginning' | 'opened' | 'thinking' | 'closed' | 'answer' = 'beginning';
  #held = '';

  take(piece: string): Piece[] {
    const text = this.#held + piece;
    this.#held = '';
    switch (this.#state) {
      case 'beginning':
        return this.#begin(text);
      case 'opened':
        return this.#open(text);
      case 'thinking':
        return this.#think(text);
      case 'closed':
        return this.#answer(text);
      case 'answer':
        return [{ type: 'text', text }];
    }
  }

  /** Ends the answer and returns the held-back text. */
  end(): Piece[] {
    const text = this.#held;
    this.#held = '';
    return text === '' ? [] : [{ type: this.#state === 'thinking' ? 'reasoning' : 'text', text }];
  }

  #begin(text: string): Piece[] {
    const start = text.trimStart();
    if (start.startsWith(opening)) {
      this.#state = 'opened';
      return this.#open(start.slice(opening.length));
    }
    if (opening.startsWith(start)) {
      this.#held = text;
      return [];
    }
    this.#state = 'answer';
    return [{ type: 'text', text }];
  }

  #open(text: string): Piece[] {
    const start = text.trimStart();
    if (start === '') return [];
    this.#state = 'thinking';
    return this.#think(start);
  }

  #think(text: string): Piece[] {
    const end = text.indexOf(closing);
    if (end !== -1) {
      this.#state = 'closed';
      return [...thought(text.slice(0, end).trimEnd()), ...this.#answer(text.slice(end + closing.length))];
    }
    const sure = text.slice(0, text.length - unsureLength(text)).trimEnd();
    this.#held = text.slice(sure.length);
    return thought(sure);
  }

  #answer(text: string): Piece[] {
    const start = text.trimStart();
    if (start === '') return [];
    this.#state = 'answer';
    return [{ type: 'text', text: start }];
  }
}

function thought(text: string): Piece[] {
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** Returns the number of characters at the end that may begin the closing tag. */
function unsureLength(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1) {
    if (closing.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
