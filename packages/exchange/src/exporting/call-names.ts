import type { SpokenMessage } from './spoken-path.ts';

/**
 * The ids of calls as the APIs of models take them: they refuse characters that other programs use, and an id that is there twice. What an id
 * becomes depends on what stands before it alone.
 */
export class CallNames {
  readonly #used = new Set<string>();
  readonly #current = new Map<string, string>();

  /** The id of a call that is made here. */
  call(id: string): string {
    const plain = apiName(id);
    let unique = plain;
    for (let number = 2; this.#used.has(unique); number += 1) unique = `${plain.slice(0, 60)}_${number}`;
    this.#used.add(unique);
    this.#current.set(id, unique);
    return unique;
  }

  /** The id of the call that a result answers: the last one that was made with its id. */
  answer({ node }: SpokenMessage): string {
    return this.last(node.tool_call_id ?? '');
  }

  /** The id of the last call that was made with an id. */
  last(id: string): string {
    return this.#current.get(id) ?? apiName(id);
  }
}

/** A name with nothing in it that the APIs of models refuse. */
export function apiName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
