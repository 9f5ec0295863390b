import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Store } from '@loom/kernel/store';

/** A directory that is gone after the test, and a way to open stores in it, which are closed before. */
export interface TemporaryStores<S extends Store> {
  path: string;
  open: (options?: { now?: () => number }) => Promise<S>;
}

export function temporaryStores<S extends Store>(
  t: TestContext,
  openStore: (options: { directory: string; now?: () => number }) => Promise<S>,
): TemporaryStores<S> {
  const path = mkdtempSync(join(tmpdir(), 'loom-store-'));
  const stores: S[] = [];
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(path, { recursive: true });
  });
  return {
    path,
    async open(options = {}) {
      const store = await openStore({ directory: path, ...options });
      stores.push(store);
      return store;
    },
  };
}
