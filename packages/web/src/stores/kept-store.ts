import { Store } from './store.ts';

/** A storage that keeps texts between visits; that of browsers fits. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

/**
 * Makes a store whose value is still there at the next visit. `read` makes the value from the kept one, which may be of an older page or
 * damaged; it returns `undefined` for one it cannot use. A storage that is full or closed costs the memory, never the page.
 */
export function keptStore<T>(
  storage: TextStorage,
  key: string,
  { read, otherwise }: { read: (value: unknown) => T | undefined; otherwise: T },
): Store<T> {
  const store = new Store(read(load(storage, key)) ?? otherwise);
  store.subscribe(() => save(storage, key, store.getSnapshot()));
  return store;
}

function load(storage: TextStorage, key: string): unknown {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function save(storage: TextStorage, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Full, or not allowed here.
  }
}
