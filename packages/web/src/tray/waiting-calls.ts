import type { ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';
import { describeFailure } from '../words/failures.ts';

/** A call of a tool that waits for a person. */
export type WaitingCall = ResultOf<'turn.waiting'>['items'][number];

export interface Waiting {
  /** The one that waits longest first. */
  readonly calls: readonly WaitingCall[];
  readonly isKnown: boolean;
  readonly failure?: string;
}

/**
 * The calls that wait for a person in all conversations. They are loaded when the list says that something else waits than before, never by
 * time.
 */
export class WaitingCalls implements ReadableStore<Waiting> {
  readonly #list: ReadableStore<ListView>;
  readonly #read: () => Promise<readonly WaitingCall[]>;
  readonly #state = new Store<Waiting>({ calls: [], isKnown: false });
  #needs: string | undefined;
  #isAsking = false;
  #isStale = false;
  readonly subscribe = this.#state.subscribe;
  readonly getSnapshot = this.#state.getSnapshot;

  constructor(list: ReadableStore<ListView>, read: () => Promise<readonly WaitingCall[]>) {
    this.#list = list;
    this.#read = read;
    list.subscribe(() => this.#look());
    this.#look();
  }

  /** Asks again, whatever the list says. */
  refresh(): void {
    if (this.#isAsking) {
      this.#isStale = true;
      return;
    }
    this.#isAsking = true;
    void this.#ask().finally(() => {
      this.#isAsking = false;
      if (!this.#isStale) return;
      this.#isStale = false;
      this.refresh();
    });
  }

  #look(): void {
    const { status, items, children } = this.#list.getSnapshot();
    if (status !== 'live') return;
    const needs = [...items, ...children].flatMap((item) => item.needs).join(' ');
    if (needs === this.#needs) return;
    this.#needs = needs;
    this.refresh();
  }

  async #ask(): Promise<void> {
    try {
      const calls = [...(await this.#read())].sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
      this.#state.set({ calls, isKnown: true });
    } catch (error) {
      this.#state.update(({ calls, isKnown }) => ({ calls, isKnown, failure: describeFailure(error) }));
    }
  }
}
