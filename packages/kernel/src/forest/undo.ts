import type { Decision } from '../log.ts';
import type { RootOp } from '../op.ts';
import { refuse } from '../refusal.ts';
import type { RootState } from '../root-state.ts';
import { editUnit } from './edit-node.ts';
import { refusePlace } from './move.ts';
import { refuseHiding } from './obstacles.ts';
import type { Refused } from './obstacles.ts';
import { isVisible } from './tree.ts';
import { childrenKey } from './undo-history.ts';
import type { UndoRecord } from './undo-history.ts';

export interface UndoParams {
  /** The change to take back; by default the agent's last one that is in effect. */
  change?: number;
  /** A client id that nobody else has. */
  client: number;
}

/** The change that was taken back. */
export interface UndoValue {
  undone: number;
}

/**
 * Takes a change of the tree back by a change of its own. Refused if the nodes that it made or altered have been altered
 * since, or have gained children that are still there.
 */
export function decideUndo(state: RootState, agent: string, params: UndoParams): Decision<RootOp, UndoValue> {
  const { change, client } = params;
  const record = change === undefined ? state.history.lastDone(agent) : state.history.record(change);
  if (record === undefined) {
    const what = change === undefined ? 'there is nothing of yours' : `change ${change} is no change of the tree`;
    return refuse('nothing-to-undo', `${what} that could be undone, or it was undone already`);
  }
  return takeBack(state, record, client);
}

/** Does the agent's last undone change again, unless the agent did something else since. */
export function decideRedo(
  state: RootState,
  agent: string,
  { client }: { client: number },
): Decision<RootOp, UndoValue> {
  const record = state.history.lastUndone(agent);
  if (record === undefined) return refuse('nothing-to-undo', 'there is no undo of yours that could be taken back');
  return takeBack(state, record, client);
}

function takeBack(state: RootState, record: UndoRecord, client: number): Decision<RootOp, UndoValue> {
  const changed = placesChanged(state, record);
  if (changed.length > 0) {
    const message = `something else happened since at ${changed.join(', ')}; undo that first`;
    return refuse('changed-since', message, changed);
  }
  const shown = new Set(record.inverse.flatMap(broughtBack));
  for (const op of record.inverse) {
    const obstacle = refuseInverse(state, op, shown);
    if (obstacle !== undefined) return obstacle;
  }
  const unit = editUnit(state);
  const ops = record.inverse.map((op): RootOp => (op.type === 'text' ? { ...op, unit, client } : op));
  return { ok: true, ops: [...ops, { type: 'undone', change: record.seq }], value: { undone: record.seq } };
}

/** The nodes and other places where something is in effect that came after the change. */
function placesChanged(state: RootState, { traces }: UndoRecord): string[] {
  const changed = new Set<string>();
  for (const { key, after, strict } of traces) {
    if (!strict || state.history.lastAt(key) === after) continue;
    const node = key.split('\n').at(-1) ?? key;
    if (key === childrenKey(node) && state.index.liveChildCount(node) === 0) continue;
    changed.add(node);
  }
  return [...changed];
}

/** The nodes that an op makes visible. */
function broughtBack(op: RootOp): string[] {
  if (op.type === 'node-restored') return [op.node];
  return op.type === 'node-split' ? [op.left] : [];
}

/** The tree around the nodes may have changed too: an undo must not hide what is protected, nor tear what belongs together. */
function refuseInverse(state: RootState, op: RootOp, shown: ReadonlySet<string>): Refused | undefined {
  switch (op.type) {
    case 'node-removed':
      return refuseHiding(state, op.node);
    case 'node-restored': {
      const parent = state.nodes.get(op.node)?.parent ?? '';
      return isVisible(state, parent) || shown.has(parent) ? undefined : refuseGone(parent);
    }
    case 'node-moved':
      return shown.has(op.parent) ? undefined : refuseReturn(state, op.node, op.parent);
    case 'node-joined':
      return state.bookmarks.has(op.left)
        ? refuse('bookmarked', `a bookmark protects ${op.left}, which would be hidden; take it away first`, [op.left])
        : undefined;
    default:
      return undefined;
  }
}

/** Why a node cannot go back to where it was. */
function refuseReturn(state: RootState, node: string, parent: string): Refused | undefined {
  if (!isVisible(state, parent)) return refuseGone(parent);
  const place = refusePlace(state, node, parent);
  return place && refuse('changed-since', place.refusal.message, [parent]);
}

function refuseGone(parent: string): Refused {
  return refuse('changed-since', `${parent} is not there any more; restore it first`, [parent]);
}
