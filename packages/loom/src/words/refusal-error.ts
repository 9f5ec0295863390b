import type { Refusal, Refused } from '@loom/kernel';
import { LoomError } from '../command-line/failure.ts';
import { wordRefusal } from './refusal-words.ts';
import type { Surroundings } from './refusal-words.ts';

/** Returns the value of an outcome, or throws its refusal as a failure of the command. */
export function orFail<Value>(outcome: { ok: true; value: Value } | Refused, surroundings?: Surroundings): Value {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal, surroundings);
}

/** A refusal as a failure of the command: in its words for people, with its fields for programs. */
export function refusalError(refusal: Refusal, surroundings: Surroundings = {}): LoomError {
  const { what, advice } = wordRefusal(refusal, surroundings);
  const { reason, ...fields } = refusal;
  const { conversation } = surroundings;
  return new LoomError(reason, what, {
    ...(advice === undefined ? {} : { advice }),
    details: conversation === undefined ? fields : { root: conversation.root, ...fields },
  });
}
