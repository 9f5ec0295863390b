import { z } from 'zod';
import type { LoomEngine } from '../../engine.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import { addUsage, dayUsage, usageKey } from '../../forest/usage-sum.ts';
import type { DayUsage } from '../../forest/usage-sum.ts';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';
import { eachRoot } from './each-root.ts';

const day = z.iso.date({ error: 'must be a day, such as 2026-11-17' });

const listUsage = defineOperation({
  name: 'usage.list',
  summary:
    'What calls of models have used in all conversations, deleted ones too, by day, provider and model: tokens and, where it is known, money. Each call is counted once, however many branches and copies there are of what it wrote.',
  params: z.strictObject({
    from: day.exactOptional().describe('The first day, in UTC, such as 2026-11-01. Default: the first that there is.'),
    to: day.exactOptional().describe('The last day, in UTC. Default: the last that there is.'),
    ...pageParams,
  }),
  result: pageOf(dayUsage),
  effect: 'reads',
  run: async (engine, caller, { from = '', to = '9999-12-31', ...page }) => {
    const lists: DayUsage[][] = [];
    for await (const root of eachRoot(engine, caller, { deleted: 'either' })) {
      const days = await daysOf(engine, root);
      lists.push(days.filter(({ day: used }) => used >= from && used <= to));
    }
    return { ok: true, value: takePage(addUsage(lists), usageKey, page) };
  },
});

/** Heads of an earlier version say only what was used in all; then the conversation says when. */
async function daysOf({ forest }: LoomEngine, { id, days, usage }: RootSummary): Promise<DayUsage[]> {
  if (days !== undefined) return days;
  const hasUsed = usage.input_tokens + usage.output_tokens > 0;
  return hasUsed ? ((await forest.stateUnlessDamaged(id))?.index.usage.days ?? []) : [];
}

export const usageOperations = [listUsage] as const;
