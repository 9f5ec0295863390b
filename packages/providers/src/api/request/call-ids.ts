/**
 * The ids of calls in the form that an API accepts. An id from another provider may have characters or a length that this one refuses, or be a
 * duplicate; the new id depends only on the calls before it, so that a longer conversation begins with the same bytes.
 */
export class CallIds {
  readonly #longest: number;
  readonly #used = new Set<string>();
  readonly #current = new Map<string, string>();

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the id of a call that is made here. */
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

  /** Returns the id of the call that a result here belongs to: the last one made with this id. */
  answer(id: string): string | undefined {
    return this.#current.get(id);
  }
}
