import type { Forest, RootLog } from '../forest/forest.ts';
import { rootOfId } from '../forest/reading/block-place.ts';

/**
 * Finds the log that an id belongs to. Ids come from outside: one that names no root must neither open a log nor be taken for
 * the name of a log that does not belong to a root.
 */
export class RootDirectory {
  readonly #forest: Forest;
  readonly #only: ReadonlySet<string> | undefined;
  /** Roots are never taken from the list, so those that were seen once need not be looked for again. */
  readonly #seen = new Set<string>();

  /** `only`: the roots that exist for the caller; all without. */
  constructor(forest: Forest, only?: ReadonlySet<string>) {
    this.#forest = forest;
    this.#only = only;
  }

  /** The log of the root of a block, node or root id, if there is such a root, deleted or not. */
  async logOf(id: string): Promise<RootLog | undefined> {
    const root = rootOfId(id);
    return this.isSeen(root) || (await this.all()).includes(root) ? this.#forest.log(root) : undefined;
  }

  isSeen(root: string): boolean {
    return this.#seen.has(root);
  }

  /** Calls back for every new root. */
  subscribe(listener: (root: string) => void): () => void {
    return this.#forest.subscribeToRoots((root) => {
      if (this.#only?.has(root) ?? true) listener(root);
    });
  }

  /** All roots, deleted ones too. */
  async all(): Promise<string[]> {
    const listed = await this.#forest.roots();
    const only = this.#only;
    const roots = only === undefined ? listed : listed.filter((root) => only.has(root));
    for (const root of roots) this.#seen.add(root);
    return roots;
  }
}
