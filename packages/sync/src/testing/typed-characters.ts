import type { SyncWorld } from './sync-world.ts';

const first = 0x4e00;

/** Characters that each exist only once, so that each can be followed. */
export class TypedCharacters {
  readonly #world: SyncWorld;
  readonly #typed = new Set<string>();
  /** Those that were deleted, hidden or taken back. */
  readonly #gone = new Set<string>();
  /** Those of which it was unknown whether the server had them when it was restored; they may be there twice. */
  readonly #doubtful = new Set<string>();
  #used = 0;

  constructor(world: SyncWorld) {
    this.#world = world;
  }

  next(count: number): string {
    this.#used += count;
    return Array.from({ length: count }, (_, index) => String.fromCharCode(first + this.#used - count + index)).join(
      '',
    );
  }

  noteTyped(text: string): void {
    for (const character of text) this.#typed.add(character);
  }

  noteDeleted(text: string): void {
    for (const character of text) this.#gone.add(character);
  }

  /** Notes that the content of these texts may or may not be at the server. */
  noteUnsaved(texts: readonly string[]): void {
    for (const text of texts) for (const character of text) this.#doubtful.add(character);
  }

  /** Does something on the server; characters that are not visible afterwards are gone by it. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    const before = await this.#visible();
    const result = await work();
    const after = await this.#visible();
    for (const character of before.keys()) if (!after.has(character)) this.#gone.add(character);
    return result;
  }

  /** Returns the problem with the visible text in the end. */
  async check(): Promise<string | undefined> {
    const lost = new Set(this.#world.lost.flatMap(({ text }) => text.split('')));
    const visible = await this.#visible();
    for (const character of this.#typed) {
      const count = visible.get(character) ?? 0;
      if (count === 0 && !this.#gone.has(character) && !lost.has(character))
        return `${character} was typed and is nowhere`;
      if (count > 1 && !this.#doubtful.has(character)) return `${character} was typed once and is there ${count} times`;
    }
    return undefined;
  }

  async #visible(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { blocks } of await this.#world.visibleNodes()) {
      for (const block of blocks) {
        for (const character of 'text' in block ? block.text : '')
          counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    return counts;
  }
}
