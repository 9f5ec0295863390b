import type { ListedRoot, ParamsOf, ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import { whenHomeChanges } from '../stores/home-changes.ts';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';

export type ListedProject = ResultOf<'project.list'>['items'][number];

/** The conversations as the navigator groups them. It never changes; a new one takes its place. */
export interface ProjectView {
  /** False until the first answer. */
  readonly isKnown: boolean;
  readonly projects: readonly ListedProject[];
  readonly pinned: readonly ListedRoot[];
  /** The number of those that are not archived, and of the archived ones. */
  readonly all: number;
  readonly archived: number;
}

export interface ProjectListParts {
  readonly ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  readonly list: ReadableStore<ListView>;
  /** Calls back after a while. Default: with `setTimeout`. */
  readonly later?: (work: () => void, milliseconds: number) => void;
}

/** The number of conversations that a project shows at first. */
const firstOfProject = 5;
/** The time between two questions, in milliseconds: while agents work the list changes all the time. */
const pause = 1000;

/** Knows the projects with their first conversations, and asks again when the list of conversations says that something has changed. */
export class ProjectList {
  readonly view: Store<ProjectView> = new Store<ProjectView>({
    isKnown: false,
    projects: [],
    pinned: [],
    all: 0,
    archived: 0,
  });
  readonly #parts: ProjectListParts;
  readonly #later: (work: () => void, milliseconds: number) => void;
  #asking: Promise<void> | undefined;
  #isDue = false;
  #isPausing = false;

  constructor(parts: ProjectListParts) {
    this.#parts = parts;
    this.#later = parts.later ?? ((work, milliseconds) => void setTimeout(work, milliseconds));
    let { items: before, status: known } = parts.list.getSnapshot();
    parts.list.subscribe(() => {
      const { items, status } = parts.list.getSnapshot();
      if (items === before && status === known) return;
      [before, known] = [items, status];
      if (status === 'live') this.#ask();
    });
    whenHomeChanges('pins/', () => {
      if (known === 'live') this.#ask();
    });
  }

  /** Asks at once, also if it was asked a moment ago. */
  async refresh(): Promise<void> {
    await this.#asking;
    await this.#read();
  }

  #ask(): void {
    if (this.#asking !== undefined || this.#isPausing) {
      this.#isDue = true;
      return;
    }
    this.#isDue = false;
    this.#asking = this.#readAndPause();
  }

  async #readAndPause(): Promise<void> {
    // The list says when the server is back; what was known stays meanwhile.
    await this.#read().catch(() => {});
    this.#asking = undefined;
    this.#isPausing = true;
    this.#later(() => {
      this.#isPausing = false;
      if (this.#isDue) this.#ask();
    }, pause);
  }

  async #read(): Promise<void> {
    const { ask } = this.#parts;
    const [{ items: projects, counts }, { items: pinned }] = await Promise.all([
      ask('project.list', { children: false, first: firstOfProject, counts: true, limit: 1000 }),
      ask('root.list', { children: false, pinned: true, limit: 100 }),
    ]);
    this.view.set({ isKnown: true, projects, pinned, all: counts?.all ?? 0, archived: counts?.archived ?? 0 });
  }
}
