import type { StreamedField, TextSplice } from '@loom/blocks';
import type { EditAuthor } from '@loom/blocks/document';
import type { RootOp } from '../../../op.ts';
import type { RootState } from '../../../state/root-state.ts';
import type { TextEditor } from './text-editor.ts';
import { unitOfChange } from '../../../text/unit-name.ts';

/** The undo unit of the edits that the next change makes. */
export function editUnit(state: RootState): string {
  return unitOfChange(state.seq + 1);
}

/** The op of an edit. There is one for each text in a change: its offsets are those of the text before the change. */
export function editOp(
  state: RootState,
  editor: TextEditor,
  { unit }: Pick<EditAuthor, 'unit'>,
  block: string,
  splices: readonly TextSplice[],
): RootOp {
  const { client } = editor;
  const edit = editor.open(state, block).planEdit(client, splices);
  return { type: 'text', block, splices: edit.splices, unit, client, update: edit.update };
}

/** Returns the op that appends text to a growing field. In a text that others edit, a turn goes on behind its own words. */
export function appendOp(
  state: RootState,
  editor: () => TextEditor,
  { agent, unit }: EditAuthor,
  { block, field, text }: { block: string; field: StreamedField; text: string },
  behindUnit: boolean,
): RootOp {
  const history = field === 'text' ? state.texts.get(block) : undefined;
  const isShared = history?.hasDocument === true || (behindUnit && history?.isOvertaken(agent, unit) === true);
  if (!isShared) return { type: 'text-appended', block, field, text, unit };
  const { client } = editor();
  const edit = editor().open(state, block).planAppend({ agent, unit }, client, text, behindUnit);
  return { type: 'text', block, splices: edit.splices, unit, client, update: edit.update };
}

/** Undoes or redoes a unit. */
export function flipOp(state: RootState, editor: TextEditor, block: string, unit: number): UnitOp {
  const document = editor.open(state, block);
  const { agent, name, active } = document.units[unit] ?? {};
  if (agent === undefined || name === undefined) throw new RangeError(`there is no unit ${unit} in ${block}`);
  const { splices, update, copies } = document.planFlip(editor.client, unit);
  const to = active === true ? 'undone' : 'done';
  const op: UnitOp = { type: 'unit', block, unit, agent, name, to, splices, copies };
  return update === undefined ? op : { ...op, update };
}

export type UnitOp = Extract<RootOp, { type: 'unit' }>;
