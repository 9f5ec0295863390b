import type { ModelFacts } from '@loom/providers/catalogue';
import type { RootState, Usage } from '@loom/kernel';

/** Words the context window of a model: `context 1M`. */
export function describeContext({ context }: ModelFacts): string {
  return context === undefined ? 'context unknown' : `context ${shortCount(context)}`;
}

/** Words the price of a million tokens: `$3 in, $15 out`. */
export function describePrice({ price }: ModelFacts): string {
  if (price === undefined) return 'price unknown';
  if (price.input === 0 && price.output === 0) return 'free';
  return `$${price.input} in, $${price.output} out`;
}

/** Words a cost, with as many digits as are meaningful. */
export function describeCost(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.0001 ? 'under $0.0001' : `$${dollars.toFixed(dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2)}`;
}

/** Words the total cost of calls, and says how many have an unknown cost. The demo and servers on this machine cost nothing. */
export function describeCosts(calls: readonly { provider: string; usage: Usage }[]): string | undefined {
  const billed = calls.filter(({ provider }) => provider !== 'demo');
  const known = billed.flatMap(({ usage }) => usage.cost_usd ?? []);
  if (billed.length === 0) return undefined;
  if (known.length === 0) return 'price unknown';
  const total = describeCost(known.reduce((sum, cost) => sum + cost, 0));
  return known.length === billed.length ? total : `${total} and what is not known`;
}

/** Returns the calls of models in a conversation with known usage. */
export function modelCalls({ nodes }: Pick<RootState, 'nodes'>): { provider: string; usage: Usage }[] {
  return [...nodes.values()].flatMap(({ source }) =>
    source.type === 'model' && source.usage !== undefined ? [{ provider: source.provider, usage: source.usage }] : [],
  );
}

/** 200000 → `200k`, 1048576 → `1M`. */
function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}
