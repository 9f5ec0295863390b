/** The most characters of text in each of the two generations of remembered texts. */
const mostCharacters = 16_000_000;

/**
 * Remembers the token counts of texts: a conversation is counted before each round, and all but its end was counted before. A text is forgotten once
 * as much other text has come in since it was last asked for.
 */
export class CountedTexts {
  readonly #count: (text: string) => number;
  readonly #most: number;
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #characters = 0;

  constructor(count: (text: string) => number, most = mostCharacters) {
    this.#count = count;
    this.#most = most;
  }

  count(text: string): number {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const tokens = this.#older.get(text) ?? this.#count(text);
    this.#recent.set(text, tokens);
    this.#characters += text.length;
    if (this.#characters > this.#most) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    return tokens;
  }
}
