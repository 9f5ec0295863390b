/** Tells a running operation to stop. The shape of the web's `AbortSignal`, as far as it is needed. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Makes a signal and stops it, once. */
export class StopController {
  readonly #listeners = new Set<() => void>();
  #aborted = false;
  readonly signal: StopSignal;

  constructor() {
    const isAborted = (): boolean => this.#aborted;
    const listeners = this.#listeners;
    this.signal = {
      get aborted() {
        return isAborted();
      },
      addEventListener: (_type, listener) => void listeners.add(listener),
      removeEventListener: (_type, listener) => void listeners.delete(listener),
    };
  }

  stop(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // It belongs to a tool or provider, which is over anyway; the others have to hear of the stop.
      }
    }
    this.#listeners.clear();
  }
}
