import type { TestContext } from 'node:test';
import type { Store } from '@loom/kernel/store';
import type { TemporaryStores } from '../../testing/temporary-stores.ts';
import { temporaryStores } from '../../testing/temporary-stores.ts';
import { openSqliteStore } from '../index.ts';

/** A directory for SQLite stores that is gone after the test. */
export function temporaryDirectory(t: TestContext): TemporaryStores<Store> {
  return temporaryStores(t, openSqliteStore);
}
