import type { Refusal } from '@loom/kernel';
import { LoomError } from '../failure.ts';

/** What was answered, or the refusal as a failure. */
export function orFail<Value>(outcome: { ok: true; value: Value } | { ok: false; refusal: Refusal }): Value {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal);
}

/** A refusal of the kernel as a failure of the command: its message, split into what happened and what to do. */
export function refusalError({ reason, message, ids }: Refusal): LoomError {
  const [what = message, ...advice] = message.split('; ');
  return new LoomError(reason, what, {
    ...(advice.length === 0 ? {} : { advice: asSentence(advice.join('; ')) }),
    details: ids === undefined ? {} : { ids },
  });
}

function asSentence(text: string): string {
  // The name of the command keeps its spelling.
  const sentence = text.startsWith('loom ') ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}
