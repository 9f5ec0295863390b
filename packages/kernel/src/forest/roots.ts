import { isPlainObject } from '@loom/blocks';
import type { Decision } from '../log.ts';
import type { RootConfig, RootOp } from '../op.ts';
import { refuse } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../root-state.ts';
import { refuseBookmarked } from './obstacles.ts';
import { subtree } from './queries.ts';

/** A conversation in a list. */
export interface RootSummary {
  id: string;
  title?: string;
  tags: readonly string[];
  config: RootConfig;
  /** Milliseconds since 1970. */
  created: number;
  updated: number;
  /** How many nodes can be seen. */
  nodes: number;
  deleted: boolean;
  /** Why its log cannot be read. Nothing else is known of it then but when it was begun. */
  damaged?: string;
}

export function summarizeRoot(state: RootState): RootSummary {
  const { id, title, tags, config, created, updated, deleted } = state;
  const nodes = state.index.visibleCount(() => subtree(state, id));
  return { id, ...(title === undefined ? {} : { title }), tags, config, created, updated, nodes, deleted };
}

/** A conversation of which only the list knows. */
export function summarizeDamaged(id: string, created: number, damaged: string): RootSummary {
  return { id, tags: [], config: {}, created, updated: created, nodes: 0, deleted: false, damaged };
}

/** Deletes a conversation. It can be restored; bookmarks in it protect it. */
export function decideRemoveRoot(state: RootState): Decision<RootOp, { root: string }> {
  return refuseRemovingRoot(state) ?? setDeleted(state, true);
}

/** Why a conversation may not be deleted: a bookmark protects it, or a turn is running in it. */
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

/** The same for configs that say the same, whatever the order of their keys. */
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
