import type { TestContext } from 'node:test';
import type { TemporaryStores } from '../../testing/temporary-stores.ts';
import { temporaryStores } from '../../testing/temporary-stores.ts';
import type { FileSystemStore } from '../index.ts';
import { openFileSystemStore } from '../index.ts';

/** A directory for stores of plain files that is gone after the test. */
export function temporaryStore(t: TestContext): TemporaryStores<FileSystemStore> {
  return temporaryStores(t, openFileSystemStore);
}
