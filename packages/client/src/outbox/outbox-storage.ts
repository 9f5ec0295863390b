/** An entry as a storage keeps it. */
export interface StoredEntry {
  readonly id: string;
  readonly text: string;
}

/**
 * Keeps the entries of an outbox that were not answered yet, one by one, so that several pages can share a storage. A
 * storage belongs to one server and one agent: the work of one agent is never sent in the name of another.
 */
export interface OutboxStorage {
  /** Returns all entries, in any order. */
  load(): readonly StoredEntry[] | Promise<readonly StoredEntry[]>;
  /**
   * Keeps an entry, in the place of an earlier one with its id. A storage that works synchronously keeps entries added right
   * before a page is closed.
   */
  put(entry: StoredEntry): void | Promise<void>;
  remove(id: string): void | Promise<void>;
  /**
   * Calls back when another user of the same storage has changed it. Returns how to stop. Without it a text that is edited is
   * kept whole at every key, since others may remove it.
   */
  subscribe?(listener: (change: StorageChange) => void): () => void;
}

/** An entry was kept, or removed (no `text`), or everything was cleared (no `id` either). */
export interface StorageChange {
  readonly id: string | undefined;
  readonly text: string | undefined;
}

/** The part of a browser's `localStorage` that is needed. */
export interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The part of a browser's `window` that is needed to hear what other pages change. */
export interface StorageEvents {
  addEventListener(type: 'storage', listener: (event: WebStorageEvent) => void): void;
  removeEventListener(type: 'storage', listener: (event: WebStorageEvent) => void): void;
}

/** `key` is null when everything was cleared. */
interface WebStorageEvent {
  readonly key: string | null;
  readonly newValue: string | null;
}

/** Keeps an outbox in `localStorage` or something like it. `scope` names the server and the agent. */
export function createWebOutboxStorage(area: WebStorage, scope: string, events?: StorageEvents): OutboxStorage {
  const prefix = `loom.outbox/${encodeURIComponent(scope)}/`;
  const idOf = (key: string | null): string | undefined =>
    key?.startsWith(prefix) === true ? key.slice(prefix.length) : undefined;
  const subscribe: OutboxStorage['subscribe'] =
    events &&
    ((listener) => {
      const hear = ({ key, newValue }: WebStorageEvent): void => {
        const id = idOf(key);
        if (id !== undefined || key === null) listener({ id, text: newValue ?? undefined });
      };
      events.addEventListener('storage', hear);
      return () => events.removeEventListener('storage', hear);
    });
  return {
    load() {
      const keys = Array.from({ length: area.length }, (_, index) => area.key(index));
      return keys.flatMap((key) => {
        const [id, text] = [idOf(key), key === null ? null : area.getItem(key)];
        return id === undefined || text === null ? [] : [{ id, text }];
      });
    },
    put: ({ id, text }) => area.setItem(`${prefix}${id}`, text),
    remove: (id) => area.removeItem(`${prefix}${id}`),
    ...(subscribe === undefined ? {} : { subscribe }),
  };
}

/** Keeps an outbox for as long as the process lives. */
export function createMemoryOutboxStorage(): OutboxStorage {
  const kept = new Map<string, string>();
  return {
    load: () => [...kept].map(([id, text]) => ({ id, text })),
    put: ({ id, text }) => void kept.set(id, text),
    remove: (id) => void kept.delete(id),
  };
}
