import type { Loom } from '../app/loom.ts';
import type { DayUsage, UsageRow } from './usage-sums.ts';

/** Reads the usage since a day, by day and model. */
export async function readUsage(loom: Loom, from: string | undefined): Promise<DayUsage[]> {
  const rows: DayUsage[] = [];
  for (let begin = {}; ;) {
    const { items, next } = await loom.ask('usage.list', { ...since(from), ...begin, limit: 500 });
    for (const { day = '', provider = '', model = '', ...used } of items) rows.push({ ...used, day, provider, model });
    if (next === undefined) return rows;
    begin = { after: next };
  }
}

interface CostliestRequest {
  by: 'model' | 'project' | 'source' | 'conversation';
  from: string | undefined;
}

/** Reads the costliest entries since a day. */
export async function readCostliest(
  loom: Loom,
  { by, from }: CostliestRequest,
): Promise<{ rows: UsageRow[]; hasMore: boolean }> {
  const { items, next } = await loom.ask('usage.list', { ...since(from), by: [by], order: 'cost', limit: mostShown });
  return { rows: items, hasMore: next !== undefined };
}

function since(from: string | undefined): { from?: string } {
  return from === undefined ? {} : { from };
}

const mostShown = 20;
