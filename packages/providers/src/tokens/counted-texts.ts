/** How many characters of text are remembered at most, twice over. */
const mostCharacters = 16_000_000;

/**
 * Remembers how many tokens texts have: a conversation is counted before each round, and all but its end has been counted before. What was not
 * asked for since as much again came in is forgotten.
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
