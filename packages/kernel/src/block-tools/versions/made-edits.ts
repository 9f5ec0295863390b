import type { UndoUnit } from '@loom/blocks/document';
import type { Change } from '../../change.ts';
import type { RootOp } from '../../op.ts';
import type { EditState } from '../schemas.ts';

/** The undo unit that an edit belongs to, as the log names it. */
export interface MadeEdit {
  readonly agent: string;
  readonly unit: string;
}

/** Returns the edit that a change made of a text; `undefined` if it made none, as one that undoes or replaces. */
export function editMadeBy({ agent, ops }: Change<RootOp>, block: string): MadeEdit | undefined {
  for (const op of ops) {
    const isEdit = op.type === 'text' || (op.type === 'text-appended' && op.field === 'text');
    if (isEdit && op.block === block) return { agent, unit: op.unit };
  }
  return undefined;
}

/** Returns the unit of an edit. After an undo, later edits of the same name begin another one; the newest in that state is meant. */
export function unitOfEdit(
  units: readonly UndoUnit[],
  { agent, unit: name }: MadeEdit,
  active?: boolean,
): UndoUnit | undefined {
  return units.findLast(
    (unit) => unit.agent === agent && unit.name === name && (active === undefined || unit.active === active),
  );
}

/** Returns the state of a unit for those who may want to undo or redo it. */
export function editStateOf({ active, phase }: UndoUnit): EditState {
  const isFree = phase === 'open' || phase === 'closed';
  if (active) return isFree ? 'done' : 'fixed';
  return isFree ? 'undone' : 'gone';
}
