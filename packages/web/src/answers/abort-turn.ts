import type { ResultOf } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { RefusedError } from '../words/failures.ts';

/** Stops a turn; answers what waited for it. One that has ended by itself in this moment is what was wanted, too. */
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
