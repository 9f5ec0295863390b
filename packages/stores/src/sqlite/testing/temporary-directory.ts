import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Store } from '@loom/kernel';
import { openSqliteStore } from '../index.ts';

/** A directory that is gone after the test, with stores in it that are closed before. */
export function temporaryDirectory(t: TestContext): {
  path: string;
  open: (options?: { now?: () => number }) => Promise<Store>;
} {
  const path = mkdtempSync(join(tmpdir(), 'loom-store-'));
  const stores: Store[] = [];
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(path, { recursive: true });
  });
  return {
    path,
    async open(options = {}) {
      const store = await openSqliteStore({ directory: path, ...options });
      stores.push(store);
      return store;
    },
  };
}
