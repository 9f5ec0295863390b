import type { ParamsOf, ResultOf } from '@loom/kernel';
import { Store } from '../stores/store.ts';
import type { Notices } from '../app/notices.ts';
import { count } from '../words/amounts.ts';
import { describeFailure } from '../words/failures.ts';

type Marked = NonNullable<ResultOf<'root.mark'>['items']>[number];

export interface AwayParts {
  readonly ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  readonly notices: Notices;
  /** Reads lists again. */
  readonly refresh: () => Promise<void>;
}

/** A conversation that is acted upon, and its name for the notice about it. */
export interface Acted {
  readonly id: string;
  readonly name: string;
}

/**
 * Archives, deletes and marks conversations, one or many in one call, and takes that back in one. Lists leave out at once what is going away:
 * the server may take seconds for hundreds.
 */
export class Away {
  /** The conversations that lists leave out, before the server has said so. */
  readonly gone = new Store<ReadonlySet<string>>(new Set());
  readonly #parts: AwayParts;

  constructor(parts: AwayParts) {
    this.#parts = parts;
  }

  archive(items: readonly Acted[]): Promise<void> {
    return this.#mark('Archived', items, { archived: true }, true);
  }

  unarchive(items: readonly Acted[]): Promise<void> {
    return this.#mark('Brought back', items, { archived: false }, true);
  }

  tag(items: readonly Acted[], tags: readonly string[]): Promise<void> {
    return this.#mark('Tagged', items, { add_tags: [...tags] }, false);
  }

  move(items: readonly Acted[], project: string | null): Promise<void> {
    return this.#mark('Moved', items, { project }, false);
  }

  /** Deletes those that no bookmark or running turn protects, and says how many stayed. */
  async remove(items: readonly Acted[]): Promise<void> {
    const roots = items.map(({ id }) => id);
    await this.#whileHidden(roots, async () => {
      const { items: answers = [] } = await this.#parts.ask('root.remove', { roots });
      const removed = answers.filter(({ before }) => before !== undefined).map(({ root }) => root);
      const kept = answers.filter(({ refusal }) => refusal !== undefined).length;
      const stayed = kept === 0 ? '' : ` ${count(kept, 'conversation')} with bookmarks or a running turn stayed.`;
      this.#tell('Deleted', items, removed.length, stayed, () =>
        this.#undo(async () => void (await this.#parts.ask('root.restore', { roots: removed }))),
      );
    });
  }

  async #mark(
    verb: string,
    items: readonly Acted[],
    marks: Omit<ParamsOf<'root.mark'>, 'root' | 'roots' | 'each'>,
    isLeaving: boolean,
  ): Promise<void> {
    const roots = items.map(({ id }) => id);
    await this.#whileHidden(isLeaving ? roots : [], async () => {
      const { items: answers = [] } = await this.#parts.ask('root.mark', { roots, ...marks });
      const changed = answers.filter(({ before }) => before !== undefined);
      const failed = answers.length - answers.filter(({ refusal }) => refusal === undefined).length;
      const stayed = failed === 0 ? '' : ` ${count(failed, 'conversation')} could not be changed.`;
      this.#tell(verb, items, items.length - failed, stayed, () => this.#undo(() => this.#takeBack(changed)));
    });
  }

  async #takeBack(changed: readonly Marked[]): Promise<void> {
    const each = changed.flatMap(({ root, before }) => {
      const { deleted: _deleted, ...marks } = before ?? {};
      return before === undefined ? [] : [{ root, ...marks }];
    });
    if (each.length > 0) await this.#parts.ask('root.mark', { each });
  }

  #tell(verb: string, items: readonly Acted[], done: number, stayed: string, undo: () => void): void {
    const [only] = items;
    const words = items.length === 1 && only !== undefined ? `“${only.name}”` : count(done, 'conversation');
    if (done === 0) this.#parts.notices.tell(stayed.trim());
    else this.#parts.notices.tell(`${verb} ${words}.${stayed}`, { label: 'Undo', run: undo });
  }

  #undo(work: () => Promise<void>): void {
    // Lists show them again as soon as the server has them.
    work()
      .then(() => this.#parts.refresh())
      .catch((error: unknown) => this.#parts.notices.fail(describeFailure(error)));
  }

  /** Keeps conversations out of lists until the server has done its work and the lists are read again. */
  async #whileHidden(roots: readonly string[], work: () => Promise<void>): Promise<void> {
    this.gone.update((before) => new Set([...before, ...roots]));
    try {
      await work();
      await this.#parts.refresh();
    } finally {
      const done = new Set(roots);
      this.gone.update((before) => new Set([...before].filter((root) => !done.has(root))));
    }
  }
}
