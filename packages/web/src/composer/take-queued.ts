import type { Outbox } from '@loom/client';
import type { Outcome } from '@loom/kernel';
import { RefusedError } from '../words/failures.ts';

/**
 * Returns the answer to an entry of the outbox. A refused entry is dropped there, with those that need it: its caller gives it back to the
 * person.
 */
export async function take<T>(outbox: Outbox, queued: { id: string; outcome: Promise<Outcome<T>> }): Promise<T> {
  const outcome = await queued.outcome;
  if (outcome.ok) return outcome.value;
  for (const { id, needs } of outbox.entries()) if (needs.includes(queued.id)) outbox.discard(id);
  outbox.discard(queued.id);
  throw new RefusedError(outcome.refusal);
}
