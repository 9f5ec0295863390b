import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FileSystemStore } from '../index.ts';
import { openFileSystemStore } from '../index.ts';

/** A directory that is gone after the test, with stores in it that are closed before. */
export function temporaryStore(t: TestContext): {
  path: string;
  open: (options?: { now?: () => number }) => Promise<FileSystemStore>;
} {
  const path = mkdtempSync(join(tmpdir(), 'loom-files-'));
  const stores: FileSystemStore[] = [];
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(path, { recursive: true });
  });
  return {
    path,
    async open(options = {}) {
      const store = await openFileSystemStore({ directory: path, ...options });
      stores.push(store);
      return store;
    },
  };
}
