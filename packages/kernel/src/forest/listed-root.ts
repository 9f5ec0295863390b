import { z } from 'zod';
import { once } from '../once.ts';
import { StoreError } from '../store.ts';
import { senderOf } from './sender.ts';
import { rootFacts } from './root-head.ts';
import type { RootSummary } from './root-head.ts';

const time = z.string().describe('A time, as ISO 8601 in UTC.');

export const rootResult = once(() =>
  rootFacts.extend({
    id: z.string(),
    created: time,
    updated: time,
    sender: z.string().exactOptional().describe('The node in another conversation that started this agent.'),
    cost_usd: z
      .number()
      .exactOptional()
      .describe('The known cost of its calls; only in filtered lists and project.list.'),
    damaged: z
      .string()
      .exactOptional()
      .describe('Why its log cannot be read. Nothing else is known about it except when it was started.'),
  }),
);

/** A conversation as lists show it at every door. */
export type ListedRoot = z.infer<ReturnType<typeof rootResult>>;

/** A root is written before it is listed, so one without a log has lost it. */
export function lostLog(root: string): StoreError {
  const message = `the conversation ${root} is listed, but its log is gone`;
  return new StoreError('store-corrupt', message, 'Restore a backup.', { remedy: 'examine' });
}

/** Returns a conversation as doors show it, with the project that it belongs to. */
export function rootAnswer(
  { created, updated, spent: _spent, project: _mark, ...summary }: RootSummary,
  project: string | undefined,
): ListedRoot {
  const sender = senderOf(summary.config);
  const sent = sender === undefined ? {} : { sender };
  const placed = project === undefined ? {} : { project };
  return {
    ...summary,
    ...sent,
    ...placed,
    created: new Date(created).toISOString(),
    updated: new Date(updated).toISOString(),
  };
}
