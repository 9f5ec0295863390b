import { z } from 'zod';
import { nodeId, rootId } from '../../forest/ids.ts';
import { refuseMissingNode } from '../../forest/editing/obstacles.ts';
import { once } from '../../once.ts';
import { recentLeaves } from '../../state/tree/queries.ts';
import { isVisible } from '../../state/tree/tree.ts';
import type { RootState } from '../../state/root-state.ts';
import { defineOperation } from '../operation.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';
import { longestWords, sumsOf, turnsOf } from './branch-turns.ts';
import type { BranchTurn, TurnSums } from './branch-turns.ts';
import { UsageReport } from './usage-report.ts';
import type { UsageGroup } from './usage-report.ts';

const row = once(() =>
  z.strictObject({
    node: z.string().describe('The message it begins with.'),
    kind: z
      .enum(['person', 'own', 'summary'])
      .describe('A person asked, an agent began it on its own, or the context was summarized.'),
    number: z.int().exactOptional().describe('Counts the turns that persons asked for, from 1.'),
    words: z.string().describe(`How the first message begins, in at most ${longestWords} characters.`),
    time: z.string().describe('When it began, as ISO 8601 in UTC.'),
    answer: z.string().exactOptional().describe('The first message of a model in it.'),
    end: z.string().describe('Its last message.'),
    duration_ms: z.number().exactOptional().describe('From its first message to the end of its last.'),
    tools: z.int().describe('The number of calls of tools.'),
    input_tokens: z.number().exactOptional().describe('All input, including tokens read from a cache.'),
    cached_input_tokens: z.number().exactOptional(),
    output_tokens: z.number().exactOptional(),
    cost_usd: z.number().exactOptional().describe('Absent if the cost of a call is unknown.'),
    tokens_before: z
      .number()
      .exactOptional()
      .describe('For a summary: the tokens that the last call above it came to.'),
    tokens_after: z.number().exactOptional().describe('For a summary: the tokens that the next call below it read.'),
  }),
);

const listTurns = defineOperation({
  name: 'tree.turns',
  summary:
    'Lists the turns of a branch: what persons asked, each with how long the answer took, its calls of tools, tokens and cost; and between them what agents began on their own, and summaries of the context.',
  params: () =>
    z.strictObject({
      root: rootId,
      node: nodeId.exactOptional().describe('The end of the branch. Default: the newest leaf.'),
      from: nodeId.exactOptional().describe('Only the turns from the one that this message belongs to. Default: all.'),
      ...pageParams,
    }),
  result: () => pageOf(row()),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: async (engine, _caller, { root, node, from, ...page }) => {
    const { cursor, value } = await engine.forest.log(root).read((state) => {
      const end = node ?? recentLeaves(state, 1)[0]?.id;
      if (end === undefined) return [];
      if (!isVisible(state, end)) return undefined;
      return turnsOf(state.pathTo(end), from).map((turn) => ({ turn, sums: sumsOf(turn), state }));
    });
    if (value === undefined) return refuseMissingNode(node ?? root);
    const { items, ...rest } = pageBehind(value, ({ turn }) => turn.start.id, page);
    const needsPrices = items.some(({ sums }) => sums.spent.some(({ cost_usd: cost }) => cost === undefined));
    const pricing = needsPrices ? await engine.pricing() : () => undefined;
    const rows = items.map(({ turn, sums, state }) => rowOf(turn, sums, usageOf(state, sums, pricing)));
    return { ok: true, value: { items: rows, ...rest }, cursor };
  },
});

/** Adds up what the calls of a turn used, with the prices of its time. */
function usageOf(
  { id, config }: RootState,
  { spent }: TurnSums,
  pricing: Parameters<UsageReport['groups']>[0],
): UsageGroup | undefined {
  const report = new UsageReport([]);
  for (const each of spent) report.add({ id, config, opening: '' }, each);
  return report.groups(pricing)[0];
}

function rowOf(turn: BranchTurn, sums: TurnSums, usage: UsageGroup | undefined): z.infer<ReturnType<typeof row>> {
  const { kind, number, start, words, before, after } = turn;
  const { tools, duration, answer, end } = sums;
  return {
    node: start.id,
    kind,
    ...(number === undefined ? {} : { number }),
    words,
    time: new Date(start.time).toISOString(),
    ...(answer === undefined ? {} : { answer: answer.id }),
    end: end.id,
    ...(kind === 'summary' ? {} : { duration_ms: duration }),
    tools,
    ...(usage === undefined
      ? {}
      : {
          input_tokens: usage.input_tokens,
          cached_input_tokens: usage.cached_input_tokens,
          output_tokens: usage.output_tokens,
          ...(usage.unpriced > 0 || usage.cost_usd === undefined ? {} : { cost_usd: usage.cost_usd }),
        }),
    ...(before === undefined ? {} : { tokens_before: before }),
    ...(after === undefined ? {} : { tokens_after: after }),
  };
}

export const turnOutlineOperations = [listTurns] as const;
