import type { ModelBlock } from '@loom/blocks';
import type { SpokenMessage } from './spoken-path.ts';

/**
 * The ids of calls in the form that model APIs take: they refuse characters that other programs use, and duplicate ids. The new id depends only on
 * the calls before it.
 */
export class CallNames {
  readonly #longest: number;
  readonly #used = new Set<string>();
  readonly #current = new Map<string, string>();

  constructor(longest = longestName) {
    this.#longest = longest;
  }

  /** Returns the id of a call that is made here. */
  call(id: string): string {
    const plain = this.#plain(id);
    let unique = plain;
    for (let number = 2; this.#used.has(unique); number += 1) {
      const ending = `_${number}`;
      unique = `${plain.slice(0, this.#longest - ending.length)}${ending}`;
    }
    this.#used.add(unique);
    this.#current.set(id, unique);
    return unique;
  }

  /** Returns the id of the call that a result belongs to: the last one made with its id. */
  answer({ node }: SpokenMessage): string {
    return this.last(node.tool_call_id ?? '');
  }

  /** The id of the last call that was made with an id. */
  last(id: string): string {
    return this.#current.get(id) ?? this.#plain(id);
  }

  #plain(id: string): string {
    return apiName(id).slice(0, this.#longest);
  }
}

const longestName = 64;

/** Returns a name without the characters that model APIs refuse. */
export function apiName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName) || '_';
}

/** Returns true if a block means the same in model APIs: a call of a tool whose name they refuse becomes a different call there. */
export function isSaidAsItIs(block: ModelBlock): boolean {
  return block.type !== 'tool-use' || apiName(block.name) === block.name;
}
