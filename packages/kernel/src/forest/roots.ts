import { isPlainObject } from '@loom/blocks';
import type { Decision } from '../log/log-shape.ts';
import type { RootConfig, RootOp } from '../op.ts';
import { refuse } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';
import { refuseBookmarked } from './editing/obstacles.ts';

/** Deletes a conversation. It can be restored; bookmarks in it protect it. */
export function decideRemoveRoot(state: RootState): Decision<RootOp, { root: string }> {
  return refuseRemovingRoot(state) ?? setDeleted(state, true);
}

/** Refuses to delete a conversation that a bookmark protects or in which a turn is running. */
export function refuseRemovingRoot(state: RootState): Refused | undefined {
  const marked = [...state.bookmarks.keys()];
  if (marked.length > 0) return refuseBookmarked(marked);
  const turns = [...state.liveTurns];
  if (turns.length === 0) return undefined;
  return refuse({ reason: 'turn-live', turns, node: state.id, where: 'inside' });
}

export function refuseDeletedRoot(root: string): Refused {
  return refuse({ reason: 'root-deleted', root });
}

export function decideRestoreRoot(state: RootState): Decision<RootOp, { root: string }> {
  return setDeleted(state, false);
}

/** Returns the same key for equal configs, regardless of the order of their keys. */
export function configKey(config: RootConfig): string {
  return JSON.stringify(config, (_name, value: unknown) =>
    isPlainObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => Number(a > b) - Number(a < b)))
      : value,
  );
}

function setDeleted(state: RootState, deleted: boolean): Decision<RootOp, { root: string }> {
  const ops: RootOp[] = state.deleted === deleted ? [] : [{ type: 'root-changed', deleted }];
  return { ok: true, ops, value: { root: state.id } };
}
