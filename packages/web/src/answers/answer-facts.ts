import type { NodeState } from '@loom/kernel';
import { dollars, tokens } from '../words/amounts.ts';
import { duration } from '../words/times.ts';

/** The facts above an answer. */
export interface AnswerFacts {
  readonly name: string;
  readonly state: 'writing' | 'failed' | undefined;
  /** `4.1 s`, `212 tokens`, `$0.02` */
  readonly facts: readonly string[];
}

type Answer = Pick<NodeState, 'source' | 'blocks' | 'started_at' | 'ended_at'>;

export function answerFacts(answer: Answer | undefined, isRunning: boolean): AnswerFacts {
  if (answer === undefined) return { name: 'Loading', state: undefined, facts: [] };
  const { source, blocks, started_at: started, ended_at: ended } = answer;
  const usage = source.type === 'model' ? source.usage : undefined;
  const isFailed = blocks.some(({ type, status }) => type === 'error' || status === 'error');
  const facts = [
    started === undefined || ended === undefined ? undefined : duration(Date.parse(ended) - Date.parse(started)),
    usage === undefined
      ? undefined
      : `${tokens(usage.output_tokens)} ${usage.output_tokens === 1 ? 'token' : 'tokens'}`,
    usage?.cost_usd === undefined || usage.cost_usd === 0 ? undefined : dollars(usage.cost_usd),
  ];
  return {
    name: source.type === 'model' ? source.model_name : 'Written by a person',
    state: isRunning ? 'writing' : isFailed ? 'failed' : undefined,
    facts: facts.filter((fact) => fact !== undefined),
  };
}

/** Sums up the known costs of answers; `undefined` if there are none. */
export function sumOfCosts(
  answers: readonly string[],
  nodes: ReadonlyMap<string, Pick<NodeState, 'source'>>,
): number | undefined {
  const costs = answers.flatMap((id) => {
    const source = nodes.get(id)?.source;
    return source?.type === 'model' && source.usage?.cost_usd !== undefined ? [source.usage.cost_usd] : [];
  });
  const sum = costs.reduce((before, cost) => before + cost, 0);
  return sum === 0 ? undefined : sum;
}
