import { reachWords } from '@loom/blocks/asking';
import type { NodeState } from '@loom/kernel';
import { clockTime } from '../../words/times.ts';

export type Decided = NonNullable<NodeState['decided']>;

const verbs: { readonly [Decision in Decided['decision']]: string } = {
  approved: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
};

/** `Allowed by you at 10:41 AM, always in this folder`; the reader is called `you`. */
export function decidedWords({ decision, by, at, scope = 'once', arguments_changed }: Decided, reader: string): string {
  const who = `${verbs[decision]} by ${by === reader ? 'you' : by} at ${clockTime(Date.parse(at))}`;
  return `${who}${reachWords(scope)}${arguments_changed === undefined ? '' : ', with other arguments'}`;
}
