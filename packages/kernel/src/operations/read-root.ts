import { rootOfId } from '../forest/reading/block-place.ts';
import type { LoomEngine } from './calling/engine.ts';
import { refuseMissingNode } from '../forest/editing/obstacles.ts';
import type { Outcome } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';

/**
 * Reads something of the conversation of an id, with the place in the log that it belongs to; `undefined` if the node does
 * not exist.
 */
export async function readPlace<T>(
  engine: LoomEngine,
  id: string,
  read: (state: RootState) => T | undefined,
): Promise<Outcome<T>> {
  const { cursor, value } = await engine.forest.log(rootOfId(id)).read(read);
  return value === undefined ? refuseMissingNode(id) : { ok: true, value, cursor };
}
