import type { ParamsOf, ResultOf } from '@loom/kernel';
import type { ReadableStore } from '../stores/store.ts';
import type { ProjectView } from './project-list.ts';

export interface PinsParts {
  readonly ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  readonly view: ReadableStore<ProjectView>;
  readonly refresh: () => Promise<void>;
}

/** The conversations that the reader has pinned, which are kept in the reader's home. */
export class Pins {
  readonly #parts: PinsParts;

  constructor(parts: PinsParts) {
    this.#parts = parts;
  }

  has(root: string): boolean {
    return this.#parts.view.getSnapshot().pinned.some(({ id }) => id === root);
  }

  /** Pins conversations, or takes the pins away if all of them have one. */
  async toggle(roots: readonly string[]): Promise<void> {
    const isPinned = roots.every((root) => this.has(root));
    const entries = roots.map((root) => ({ key: `pins/${root}`, ...(isPinned ? {} : { value: {} }) }));
    await this.#parts.ask('home.set', { entries });
    await this.#parts.refresh();
  }
}
