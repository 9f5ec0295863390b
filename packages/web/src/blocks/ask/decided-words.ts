import type { NodeState } from '@loom/kernel';
import { clockTime } from '../../words/times.ts';

type Decided = NonNullable<NodeState['decided']>;

const verbs: { readonly [Decision in Decided['decision']]: string } = {
  approved: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
};

/** `Allowed by you at 10:41`; the reader is called `you`. */
export function decidedWords({ decision, by, at }: Decided, reader: string): string {
  return `${verbs[decision]} by ${by === reader ? 'you' : by} at ${clockTime(Date.parse(at))}`;
}
