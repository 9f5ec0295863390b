import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import { refuse } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';
import type { TextEditor } from '../editing/text/text-editor.ts';
import { editOp, editUnit, flipOp } from '../editing/text/text-ops.ts';
import { refusePlace } from '../editing/move.ts';
import { liveTurnAnswering, refuseBookmarked, refuseHiding } from '../editing/obstacles.ts';
import { refuseDeletedRoot, refuseRemovingRoot } from '../roots.ts';
import { isVisible } from '../../state/tree/tree.ts';
import { isTextOp } from '../../state/undo/undo-history.ts';
import type { TextOp, UndoRecord } from '../../state/undo/undo-history.ts';

/** The change that was taken back. */
export interface UndoValue {
  undone: number;
}

/**
 * Takes a change back with a new change; by default the agent's last one that is in effect. A change of the tree is refused
 * if the nodes that it made or altered have been altered since, or have gained children that are still there. An edit of a
 * text is undone in the current text, unless it was answered.
 */
export function decideUndo(
  state: RootState,
  agent: string,
  change: number | undefined,
  editor: () => TextEditor,
): Decision<RootOp, UndoValue> {
  const record = change === undefined ? state.history.lastDone(agent) : state.history.record(change);
  if (record === undefined) {
    return refuse({ reason: 'nothing-to-undo', which: 'undo', ...(change === undefined ? {} : { change }) });
  }
  return takeBack(state, record, editor);
}

/** Does the agent's last undone change again, unless the agent did something else since. */
export function decideRedo(state: RootState, agent: string, editor: () => TextEditor): Decision<RootOp, UndoValue> {
  const record = state.history.lastUndone(agent);
  if (record === undefined) return refuse({ reason: 'nothing-to-undo', which: 'redo' });
  return takeBack(state, record, editor);
}

function takeBack(state: RootState, record: UndoRecord, editor: () => TextEditor): Decision<RootOp, UndoValue> {
  if (state.deleted && !record.inverse.some((op) => op.type === 'root-changed' && op.deleted === false)) {
    return refuseDeletedRoot(state.id);
  }
  const texts = record.inverse.filter(isTextOp);
  const units = new Map(texts.map((op) => [op, unitToFlip(state, record.agent, op, editor)]));
  const onlyFlips = texts.length === record.inverse.length && [...units.values()].every((unit) => unit !== undefined);
  const changed = placesChanged(state, record, onlyFlips);
  if (changed.length > 0) return refuse({ reason: 'changed-since', ids: changed, what: 'changed' });
  const surroundings: Surroundings = {
    shown: new Set(record.inverse.flatMap(broughtBack)),
    moved: new Set(record.inverse.flatMap((op) => (op.type === 'node-moved' ? [op.node] : []))),
  };
  for (const op of record.inverse) {
    const obstacle = refuseInverse(state, op, surroundings);
    if (obstacle !== undefined) return obstacle;
  }
  const author = { unit: editUnit(state) };
  const undone = new Set([record.seq]);
  const ops = record.inverse.map((op): RootOp => {
    if (!isTextOp(op)) return op;
    const unit = units.get(op);
    // A text that was cut or replaced meanwhile, and put together again, no longer has units; but then it is as it was.
    if (unit === undefined) return editOp(state, editor(), author, op.block, op.splices);
    const flip = flipOp(state, editor(), op.block, unit);
    for (const seq of state.history.changesOf(flip)) undone.add(seq);
    return flip;
  });
  const marks = [...undone].map((change) => ({ type: 'undone' as const, change }));
  return { ok: true, ops: [...ops, ...marks], value: { undone: record.seq } };
}

/** The unit that takes an edit of a text back, if it is still there. */
function unitToFlip(state: RootState, agent: string, op: TextOp, editor: () => TextEditor): number | undefined {
  if (!state.texts.has(op.block) || state.block(op.block) === undefined) return undefined;
  const { units } = editor().open(state, op.block);
  const unit =
    op.type === 'unit' ? units[op.unit] : units.findLast((other) => other.agent === agent && other.name === op.unit);
  const isNamed = op.type === 'text' || (unit?.agent === op.agent && unit.name === op.name);
  const isActive = op.type === 'text' || op.to === 'undone';
  if (unit === undefined || !isNamed || unit.active !== isActive) return undefined;
  return unit.phase === 'open' || unit.phase === 'closed' ? unit.ordinal : undefined;
}

/** The nodes and other places where something is in effect that came after the change. */
function placesChanged(state: RootState, { traces }: UndoRecord, onlyChildren: boolean): string[] {
  const changed = new Set<string>();
  for (const { place, key, after, strict } of traces) {
    if (!strict || state.history.lastAt(place, key) === after) continue;
    if (place === 'children' ? state.index.liveChildCount(key) === 0 : onlyChildren) continue;
    changed.add(key);
  }
  return [...changed];
}

/** The nodes that an op makes visible. */
function broughtBack(op: RootOp): string[] {
  if (op.type === 'node-restored') return [op.node];
  return op.type === 'node-split' ? [op.left] : [];
}

/** The other effects of an undo: the nodes that come back into sight, and those that go to another place. */
interface Surroundings {
  shown: ReadonlySet<string>;
  moved: ReadonlySet<string>;
}

/**
 * Refuses an inverse that would hide protected nodes or tear apart nodes that belong together: the tree around the nodes may
 * have changed too.
 */
function refuseInverse(state: RootState, op: RootOp, { shown, moved }: Surroundings): Refused | undefined {
  switch (op.type) {
    case 'root-changed':
      return op.deleted === true ? refuseRemovingRoot(state) : undefined;
    case 'text':
    case 'unit':
      return refuseAnswering(state, state.nodeOfBlock.get(op.block) ?? '');
    case 'node-removed':
      return refuseHiding(state, op.node, moved);
    case 'node-restored': {
      const parent = state.nodes.get(op.node)?.parent ?? '';
      return isVisible(state, parent) || shown.has(parent) ? undefined : refuseGone(parent);
    }
    case 'node-moved':
      return shown.has(op.parent) ? undefined : refuseReturn(state, op.node, op.parent);
    case 'node-joined':
      return state.bookmarks.has(op.left) ? refuseBookmarked([op.left]) : undefined;
    default:
      return undefined;
  }
}

/** Refuses to change a text while a turn that was asked with it has yet to answer. */
function refuseAnswering(state: RootState, node: string): Refused | undefined {
  const turn = state.index.liveChildCount(node) === 0 ? liveTurnAnswering(state, node) : undefined;
  if (turn === undefined) return undefined;
  return refuse({ reason: 'turn-live', turns: [turn], node, where: 'answering' });
}

/** Refuses to move a node back to a place that no longer fits. */
function refuseReturn(state: RootState, node: string, parent: string): Refused | undefined {
  if (!isVisible(state, parent)) return refuseGone(parent);
  const place = refusePlace(state, node, parent);
  return place && refuse({ reason: 'changed-since', ids: [parent], what: 'no-place' });
}

function refuseGone(parent: string): Refused {
  return refuse({ reason: 'changed-since', ids: [parent], what: 'gone', next: { type: 'restore', id: parent } });
}
