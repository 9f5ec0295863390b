import { StoreError } from '@loom/kernel/store';
import type { Database } from './database.ts';
import { signalsName } from './signals/signals.ts';

/**
 * Gives every log a new epoch, and forgets what was derived from logs or meant for processes of another time: after the database was put back
 * to an earlier point, those who know more than it does must not take what is written next for what they know.
 */
export async function renewEpochs(database: Database): Promise<number> {
  const [others] = await database.rows<{ count: number }>(
    'SELECT count(*)::integer - 1 AS count FROM pg_stat_activity WHERE application_name = $1',
    [signalsName(database.schema)],
  );
  if (others !== undefined && others.count > 0) throw inUse(others.count);
  return database.transaction(async (query) => {
    const renewed = await query('UPDATE loom.logs SET epoch = gen_random_uuid()::text RETURNING true');
    for (const table of ['projections', 'parts', 'search_logs', 'leases', 'once'])
      await query(`DELETE FROM loom.${table}`);
    return renewed.length;
  });
}

function inUse(count: number): StoreError {
  return new StoreError(
    'store-locked',
    `${count} other ${count === 1 ? 'process uses' : 'processes use'} this database, with what ${count === 1 ? 'it knows' : 'they know'} from before`,
    'End them first, then do it again.',
  );
}
