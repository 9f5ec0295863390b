import type { TestContext } from 'node:test';
import { createWorld } from '../../../search/testing/indexed-world.ts';
import type { IndexedWorld } from '../../../search/testing/indexed-world.ts';
import { testSchema } from '../../testing/database.ts';
import type { TestSchema } from '../../testing/database.ts';
import { openPostgresTextIndex } from '../text-index.ts';
import type { PostgresTextIndexOptions } from '../text-index.ts';

/** Conversations in a schema of PostgreSQL. */
export interface PostgresWorld extends IndexedWorld {
  schema: TestSchema;
  /** Opens another index over the same schema, as another process does. */
  another: (settings?: IndexSettings) => PostgresWorld['index'];
}

type IndexSettings = Omit<PostgresTextIndexOptions, 'url' | 'store'>;

/** Runs a test in a fresh world. `every` is the number of changes after which a snapshot is made. */
export async function withPostgresWorld(
  t: TestContext,
  { every = 1, ...settings }: { every?: number } & IndexSettings,
  work: (world: PostgresWorld) => Promise<void>,
): Promise<void> {
  const schema = await testSchema(t);
  const store = await schema.open();
  const opened: PostgresWorld['index'][] = [];
  const another = (own: IndexSettings = {}): PostgresWorld['index'] => {
    // However busy the machine is, it is the index that answers.
    const index = openPostgresTextIndex({ url: schema.url, store, catchUp: 600_000, ...own });
    opened.push(index);
    return index;
  };
  try {
    await work({ schema, another, ...createWorld(store, another(settings), every) });
  } finally {
    for (const index of opened) await index.close();
  }
}
