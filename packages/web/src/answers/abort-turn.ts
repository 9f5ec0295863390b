import type { ResultOf } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { RefusedError } from '../words/failures.ts';

/** Stops a turn and returns the messages that waited for it. A turn that has just ended satisfies the request, too. */
export async function abortTurn(
  loom: Pick<Loom, 'ask'>,
  root: string,
  turn: string,
): Promise<ResultOf<'turn.abort'>['returned']> {
  try {
    return (await loom.ask('turn.abort', { root, turn })).returned;
  } catch (error) {
    if (error instanceof RefusedError && error.refusal.reason === 'turn-ended') return [];
    throw error;
  }
}
