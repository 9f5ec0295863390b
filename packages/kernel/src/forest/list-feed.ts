import { Listeners } from '../listeners.ts';
import { rootAnswer } from './listed-root.ts';
import type { ListedRoot } from './listed-root.ts';
import type { ProjectPlaces } from './project-places.ts';
import type { Clock } from '../ports.ts';
import type { Forest } from './forest.ts';

export interface ListFeedOptions {
  forest: Pick<Forest, 'subscribeToHeads' | 'summary'>;
  projects: ProjectPlaces;
  clock: Clock;
  /** Gets what listeners throw, and why a conversation could not be looked at; that is tried again. */
  failed: (error: unknown) => void;
}

/** The time for which changes are gathered, in milliseconds, so that an ongoing one is told at most 20 times a second. */
const gathering = 50;

/** The wait before another look at what could not be read, in milliseconds. */
const retryDelay = 1000;

/**
 * Tells how conversations are listed from now on, whenever that changes: made, named, deleted, a turn begun or ended, a person needed. Words
 * that a model adds change nothing in a list. It costs nothing while it has no listener.
 */
export class ListFeed {
  readonly #options: ListFeedOptions;
  readonly #listeners: Listeners<ListedRoot[]>;
  #changed = new Set<string>();
  #stopHearing = (): void => {};
  #isDue = false;

  constructor(options: ListFeedOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.failed);
  }

  /** Calls back with the conversations that changed, as a list shows them now, deleted ones too. Returns how to stop. */
  subscribe(listener: (items: ListedRoot[]) => void): () => void {
    const { forest } = this.#options;
    if (this.#listeners.size === 0) this.#stopHearing = forest.subscribeToHeads((root) => this.#note(root));
    const stop = this.#listeners.add(listener);
    return () => {
      if (!stop() || this.#listeners.size > 0) return;
      this.#stopHearing();
      this.#changed.clear();
    };
  }

  #note(root: string): void {
    this.#changed.add(root);
    this.#tellAfter(gathering);
  }

  #tellAfter(milliseconds: number): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.clock.after(milliseconds, () => void this.#tell());
  }

  async #tell(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    const items: ListedRoot[] = [];
    let delay = gathering;
    for (const root of changed) {
      try {
        const summary = await this.#options.forest.summary(root, { isHeardOf: true });
        if (summary !== undefined) items.push(rootAnswer(summary, await this.#options.projects.find(summary)));
      } catch (error) {
        this.#options.failed(error);
        this.#changed.add(root);
        delay = retryDelay;
      }
    }
    this.#isDue = false;
    if (items.length > 0) this.#listeners.tell(items);
    if (this.#changed.size > 0 && this.#listeners.size > 0) this.#tellAfter(delay);
  }
}
