import type { ResultOf } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { takesNoMoney } from '../models/model-words.ts';
import { aboutDollars, count, tokens } from '../words/amounts.ts';
import type { Wish } from './workspace.ts';

type Cost = ResultOf<'context.cost'>['costs'][number];

/** The number of tokens not worth a question. */
const fewTokens = 1000;

/** Words the cost of a change; `undefined` if it is not worth mentioning. A model that runs here costs no money. */
export function priceWords(costs: readonly Cost[], isFree = false): string | undefined {
  const again = isFree ? 0 : costs.reduce((sum, cost) => sum + cost.tokens_again, 0);
  const thinking = costs.reduce((sum, cost) => sum + cost.invalid_thinking.length, 0);
  if (again < fewTokens && thinking === 0) return undefined;
  const isPriced = costs.every(({ cost_usd: cost }) => cost !== undefined);
  const money = costs.reduce((sum, { cost_usd: cost = 0 }) => sum + cost, 0);
  const invalid =
    thinking === 0
      ? []
      : [
          `${count(thinking, 'thinking block')} ${thinking === 1 ? 'becomes' : 'become'} invalid and ${thinking === 1 ? 'is' : 'are'} no longer sent.`,
        ];
  const paid =
    again === 0 ? [] : [`${tokens(again)} tokens paid again, ${isPriced ? aboutDollars(money) : 'price unknown'}.`];
  return [...invalid, ...paid].join(' ');
}

interface Priced extends Omit<Wish, 'words' | 'run'> {
  readonly costs: () => Promise<readonly Cost[]>;
  readonly run: () => Promise<void>;
}

/** Does at once what costs nothing, and asks before anything else. If the cost cannot be known, it does not ask. */
export async function askPrice(loom: Loom, { costs, run, ...wish }: Priced): Promise<void> {
  const { workspace, attempt, models } = loom;
  await models.ready();
  const provider = models.answerers.getSnapshot().models[0]?.provider;
  const { providers } = models.known.getSnapshot();
  const isFree = providers.some((known) => known.name === provider && takesNoMoney(known));
  const price = priceWords(await costs().catch(() => []), isFree);
  if (price === undefined) return run();
  workspace.wish.set({ ...wish, words: price, run: () => attempt(run) });
  return undefined;
}
