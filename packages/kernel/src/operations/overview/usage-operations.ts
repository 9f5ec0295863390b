import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import type { SpentRow } from '../../state/tree/usage-sum.ts';
import { defineOperation } from '../operation.ts';
import { pageBehind, pageOf, pageParams, takePage } from '../page.ts';
import { eachRoot } from './each-root.ts';
import { UsageReport, usageGroup, usageGroups, usageKey } from './usage-report.ts';

const usualGroups = ['day', 'model'] as const;

const day = z.iso.date({ error: 'must be a day, such as 2026-11-17' });

const listUsage = defineOperation({
  name: 'usage.list',
  summary:
    'Reports the tokens and money that model calls used in all conversations, including deleted ones. A call costs what was recorded with it, or else what the price list of its day says. Each call counts once, no matter how many branches and copies contain its answer.',
  params: () =>
    z.strictObject({
      from: day.exactOptional().describe('The first day, in UTC, such as 2026-11-01. Default: the earliest on record.'),
      to: day.exactOptional().describe('The last day, in UTC. Default: the latest on record.'),
      by: z
        .array(z.enum(usageGroups))
        .min(1)
        .exactOptional()
        .describe('One row for each of these, or for each combination. Default: day and model.'),
      order: z
        .enum(['name', 'cost'])
        .exactOptional()
        .describe('By day and name, or the most expensive first. Default: name.'),
      ...pageParams,
    }),
  result: () => pageOf(usageGroup()),
  effect: 'reads',
  run: async (engine, caller, { from = '', to = '9999-12-31', by = usualGroups, order = 'name', ...page }) => {
    const report = new UsageReport(by);
    for await (const root of eachRoot(engine, caller, { deleted: 'either' })) {
      const rows = await spentIn(engine, root);
      for (const row of rows) if (row.day >= from && row.day <= to) report.add(root, row);
    }
    const groups = report.groups(report.needsPrices ? await engine.pricing() : () => undefined);
    const value =
      order === 'name' ? takePage(groups, usageKey, page) : pageBehind(groups.toSorted(costliestFirst), usageKey, page);
    return { ok: true, value };
  },
});

function costliestFirst(
  one: z.infer<ReturnType<typeof usageGroup>>,
  other: z.infer<ReturnType<typeof usageGroup>>,
): number {
  const tokensOf = ({ input_tokens: input, output_tokens: output }: typeof one): number => input + output;
  return (other.cost_usd ?? 0) - (one.cost_usd ?? 0) || tokensOf(other) - tokensOf(one);
}

/**
 * Returns the usage of a conversation. Heads of an earlier version have only the total; then the conversation says when and
 * of what.
 */
async function spentIn(engine: LoomEngine, { id, spent, usage, updated }: RootSummary): Promise<readonly SpentRow[]> {
  if (spent !== undefined) return spent;
  if (usage.input_tokens + usage.output_tokens === 0) return [];
  const known = readBefore.get(engine) ?? new Map<string, ReadBefore>();
  readBefore.set(engine, known);
  const mark = JSON.stringify([updated, usage]);
  const before = known.get(id);
  if (before?.mark === mark) return before.rows;
  const rows = (await engine.forest.readUnlessDamaged(id, ({ index }) => index.usage.rows)) ?? [];
  known.set(id, { mark, rows });
  return rows;
}

interface ReadBefore {
  readonly mark: string;
  readonly rows: readonly SpentRow[];
}

/** A head is written anew with the next change of its conversation, which may never come: a process reads such a conversation once. */
const readBefore = new WeakMap<LoomEngine, Map<string, ReadBefore>>();

export const usageOperations = [listUsage] as const;
