import { z } from 'zod';
import { aboutDollars, count, dollars } from '../words/amounts.ts';
import type { TitlePlan } from './use-title-plan.ts';

/** Words the button that asks for titles, with their price. */
export function titleButton({ cost_usd: cost, model }: Pick<TitlePlan, 'cost_usd' | 'model'>): string {
  if (model === undefined) return 'Add titles…';
  const price = cost === undefined ? 'price unknown' : cost === 0 ? 'free' : aboutDollars(cost);
  return `Add titles, ${price}`;
}

/** The result of a job that looked for titles, as the server reports it. */
export const titlesFound = z.object({
  titled: z.number(),
  failed: z.array(z.object({ why: z.string() })),
  more: z.number(),
  left: z.number(),
  stopped: z.string().exactOptional(),
  cost_usd: z.number().exactOptional(),
});

/** Words what became of the search for titles. */
export function describeTitles({
  titled,
  failed,
  more,
  left,
  stopped,
  cost_usd: cost = 0,
}: z.infer<typeof titlesFound>): string {
  const none = failed.length + more;
  const why = stopped ?? failed[0]?.why ?? '';
  const parts = [
    `Added ${count(titled, 'title')}${cost === 0 ? '' : ` for ${dollars(cost)}`}.`,
    ...(none === 0 ? [] : [`${count(none, 'conversation')} got none: ${why.replace(/\.$/u, '')}.`]),
    ...(left === 0 ? [] : [`${count(left, 'conversation')} left.`]),
  ];
  return parts.join(' ');
}
