import type { Loom } from '../app/loom.ts';
import { withFree } from './usage-sums.ts';
import type { DayUsage } from './usage-sums.ts';

/** Everything that was used since a day. */
export async function readUsage(loom: Loom, from: string | undefined): Promise<DayUsage[]> {
  const [rows] = await Promise.all([readRows(loom, from), loom.models.ready()]);
  const { providers } = loom.models.known.getSnapshot();
  return withFree(rows, new Set(providers.flatMap(({ name, local }) => (local ? [name] : []))));
}

async function readRows(loom: Loom, from: string | undefined): Promise<DayUsage[]> {
  const rows: DayUsage[] = [];
  const since = from === undefined ? {} : { from };
  for (let begin = {}; ;) {
    const { items, next } = await loom.ask('usage.list', { ...since, ...begin, limit: 500 });
    rows.push(...items);
    if (next === undefined) return rows;
    begin = { after: next };
  }
}
