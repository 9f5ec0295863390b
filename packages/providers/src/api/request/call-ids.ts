/**
 * The ids of calls as an API accepts them. An id that has come from another provider may have characters or a length that this one refuses,
 * or be there twice; what it becomes depends on what stands before it alone, so that a longer conversation begins with the same bytes.
 */
export class CallIds {
  readonly #longest: number;
  readonly #used = new Set<string>();
  readonly #current = new Map<string, string>();

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The id of a call that is made here. */
  call(id: string): string {
    const plain = id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, this.#longest);
    let unique = plain;
    for (let number = 2; this.#used.has(unique); number += 1) {
      const suffix = `_${number}`;
      unique = plain.slice(0, this.#longest - suffix.length) + suffix;
    }
    this.#used.add(unique);
    this.#current.set(id, unique);
    return unique;
  }

  /** The id of the call that is answered here: the last one that was made with this id. */
  answer(id: string): string | undefined {
    return this.#current.get(id);
  }
}
