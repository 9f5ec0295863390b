import { aboutDollars, dollars, tokens } from '../../words/amounts.ts';

/** The size of the context that a model would read now. */
export interface ContextSize {
  readonly tokens: number;
  readonly cached: number;
  readonly window?: number | undefined;
  readonly input_cost_usd?: number | undefined;
}

/** The context strip in words and parts of its bar. */
export interface StripFigures {
  /** The parts of the bar, in percent. */
  readonly cachedPart: number;
  readonly newPart: number;
  readonly amount: string;
  readonly cache: string | undefined;
  readonly cost: string;
  readonly level: 'calm' | 'amber' | 'red';
}

/** Returns the figures. `turnCost`: the cost so far of the running or last turn; `isFree`: its provider takes no money. */
export function stripFigures(size: ContextSize, turnCost: number | undefined, isFree: boolean): StripFigures {
  const { tokens: all, cached, window } = size;
  const part = (amount: number): number => (window === undefined ? 0 : Math.min(100, (amount / window) * 100));
  const used = part(all);
  const cachedPart = part(Math.min(cached, all));
  const share = all === 0 ? 0 : Math.round((Math.min(cached, all) / all) * 100);
  return {
    cachedPart,
    newPart: used - cachedPart,
    amount: window === undefined ? `about ${tokens(all)} tokens` : `${tokens(all)} of ${tokens(window)}`,
    cache: share === 0 ? undefined : `${share}% from cache`,
    cost: costWords(size, turnCost, isFree),
    level: used >= 95 ? 'red' : used >= 80 ? 'amber' : 'calm',
  };
}

function costWords({ input_cost_usd: next }: ContextSize, turnCost: number | undefined, isFree: boolean): string {
  if (isFree) return 'free';
  if (turnCost !== undefined) return `${dollars(turnCost)} this turn`;
  return next === undefined ? 'price unknown' : `${aboutDollars(next)} to read`;
}
