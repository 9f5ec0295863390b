/** The listeners of a handle: to appends to each log, to appends to any, and to announcements. */
export class Listeners {
  readonly #wakes = new Map<string, Set<(seq?: number) => void>>();
  readonly #wakesByAny = new Set<(log?: string) => void>();
  readonly #hearers = new Map<string, Set<(message: string) => void>>();

  /** The number of logs listened to, all of them counting as one more. */
  get size(): number {
    return this.#wakes.size + (this.#wakesByAny.size > 0 ? 1 : 0);
  }

  /** The logs that are listened to by name. */
  get logs(): string[] {
    return [...this.#wakes.keys()];
  }

  /** The same function may listen twice: each call has its own end. */
  add(log: string, wake: (seq?: number) => void): () => void {
    return addTo(this.#wakes, log, (seq?: number) => wake(seq));
  }

  /** Listens to all logs. */
  addForAny(wake: (log?: string) => void): () => void {
    const own = (log?: string): void => wake(log);
    this.#wakesByAny.add(own);
    return () => void this.#wakesByAny.delete(own);
  }

  /** Listens to the announcements on a channel. */
  addHearer(channel: string, listener: (message: string) => void): () => void {
    return addTo(this.#hearers, channel, (message: string) => listener(message));
  }

  /** A log was appended to, up to a seq if that is known. */
  wake(log: string, seq?: number): void {
    this.#wakeThose(log, seq);
    this.wakeAny(log);
  }

  /** Any log may have been appended to. */
  wakeAll(): void {
    for (const log of this.#wakes.keys()) this.#wakeThose(log);
    this.wakeAny();
  }

  /** Any log may have been appended to, but not those that are listened to by name. */
  wakeAny(log?: string): void {
    for (const wake of this.#wakesByAny)
      callLater(
        () => this.#wakesByAny.has(wake),
        () => wake(log),
      );
  }

  /** Delivers an announcement. */
  tell(channel: string, message: string): void {
    for (const listener of this.#hearers.get(channel) ?? []) {
      callLater(
        () => this.#hearers.get(channel)?.has(listener) === true,
        () => listener(message),
      );
    }
  }

  clear(): void {
    this.#wakes.clear();
    this.#wakesByAny.clear();
    this.#hearers.clear();
  }

  #wakeThose(log: string, seq?: number): void {
    for (const wake of this.#wakes.get(log) ?? []) {
      callLater(
        () => this.#wakes.get(log)?.has(wake) === true,
        () => wake(seq),
      );
    }
  }
}

/** Calls a listener apart from the caller, so that one that throws cannot make an append that has happened look failed. */
function callLater(isListening: () => boolean, call: () => void): void {
  queueMicrotask(() => {
    if (isListening()) call();
  });
}

function addTo<T>(groups: Map<string, Set<T>>, name: string, listener: T): () => void {
  const group = groups.get(name) ?? new Set<T>();
  groups.set(name, group.add(listener));
  return () => {
    if (group.delete(listener) && group.size === 0 && groups.get(name) === group) groups.delete(name);
  };
}
