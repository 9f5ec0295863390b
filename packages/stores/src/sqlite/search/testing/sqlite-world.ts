import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorld } from '../../../search/testing/indexed-world.ts';
import type { IndexedWorld } from '../../../search/testing/indexed-world.ts';
import { openSqliteStore } from '../../open.ts';
import { openSqliteTextIndex } from '../text-index.ts';
import type { SqliteTextIndexOptions } from '../text-index.ts';

/** Conversations in a database of SQLite. */
export interface SqliteWorld extends IndexedWorld {
  directory: string;
}

/** Runs a test in a fresh world. `every` is the number of changes after which a snapshot is made. */
export async function withSqliteWorld(
  { every = 1, ...settings }: { every?: number } & Omit<SqliteTextIndexOptions, 'directory'>,
  work: (world: SqliteWorld) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-search-'));
  const store = await openSqliteStore({ directory });
  // However busy the machine is, it is the index that answers.
  const index = openSqliteTextIndex({ directory, catchUp: 600_000, ...settings });
  try {
    await work({ directory, ...createWorld(store, index, every) });
  } finally {
    await index.close();
    await store.close();
    rmSync(directory, { recursive: true });
  }
}
