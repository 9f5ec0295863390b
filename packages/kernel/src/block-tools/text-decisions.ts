import { cleanText, editableText, spliceText, utf8Length } from '@loom/blocks';
import type { MessageBlock, TextSplice } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import type { z } from 'zod';
import type { UndoUnit } from '@loom/blocks/document';
import { liveTurnAt } from '../forest/editing/obstacles.ts';
import type { Decision } from '../log/log-shape.ts';
import type { RootOp } from '../op.ts';
import { refuse, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';
import type { TextEditor } from '../forest/editing/text/text-editor.ts';
import { appendOp, editOp, editUnit, flipOp } from '../forest/editing/text/text-ops.ts';
import { placeOfBlock, refuseMissingBlock } from '../forest/reading/block-place.ts';
import type { PlacedBlock } from '../forest/reading/block-place.ts';
import { editStateOf, unitOfEdit } from './versions/made-edits.ts';
import type { MadeEdit } from './versions/made-edits.ts';
import type { appendParams, spliceParams, statusParams } from './schemas.ts';

export type VersionDecision = Decision<RootOp, { version: number }>;

/** The splices to make in a text, or the reason that none can be made. */
export type TextPlan = { ok: true; splices: readonly TextSplice[] } | Refused;

/** Edits the text of a block as a plan says that looks at its newest text. A block that was not begun is begun by it. */
export function decideEdit(
  state: RootState,
  id: string,
  editor: () => TextEditor,
  plan: (text: string, block: MessageBlock) => TextPlan,
): VersionDecision {
  const found = textAt(state, id);
  if ('refusal' in found) return found;
  const planned = plan(found.text, found.block);
  if (!planned.ok) return refuse({ next: { type: 'read', block: id }, ...planned.refusal });
  const { version = 1, status } = found.block;
  const splices = planned.splices.filter((splice) => !changesNothing(state, id, found.text, splice));
  if (splices.length === 0 || changeNothingTogether(found.text, splices))
    return { ok: true, ops: [], value: { version } };
  const ops: RootOp[] = status === 'pending' ? [{ type: 'status', block: id, status: 'running' }] : [];
  ops.push(editOp(state, editor(), { unit: editUnit(state) }, id, splices));
  return { ok: true, ops, value: { version: version + 1 } };
}

/**
 * Returns true if a splice puts back what it takes out. A long text is sliced only if that is possible, because slicing
 * copies it.
 */
function changesNothing(
  state: RootState,
  id: string,
  text: string,
  { at, delete: count, insert }: TextSplice,
): boolean {
  if (count !== insert.length) return false;
  const present = state.texts.get(id)?.slice(text, at, at + count) ?? text.slice(at, at + count);
  return present === insert;
}

/** Returns true if one splice puts back what another one takes out. */
function changeNothingTogether(text: string, splices: readonly TextSplice[]): boolean {
  const growth = splices.reduce((sum, { delete: count, insert }) => sum + insert.length - count, 0);
  return splices.length > 1 && growth === 0 && spliceText(text, splices) === text;
}

/** Replaces bytes of a text. */
export function decideSplice(
  state: RootState,
  { block_id, offset, delete_count, insert = '' }: z.infer<ReturnType<typeof spliceParams>>,
  editor: () => TextEditor,
): VersionDecision {
  return decideEdit(state, block_id, editor, () => {
    const document = editor().open(state, block_id);
    const at = document.offsetOfByte(offset);
    const end = delete_count === 0 ? at : document.offsetOfByte(offset + delete_count);
    if (at === undefined || end === undefined) {
      return at === undefined
        ? refuseByte('offset', offset, document.text)
        : refuseByte('delete_count', offset + delete_count, document.text);
    }
    return { ok: true, splices: [{ at, delete: end - at, insert: cleanText(insert) }] };
  });
}

function refuseByte(param: 'offset' | 'delete_count', byte: number, text: string): Refused {
  const bytes = utf8Length(text);
  const where = byte > bytes ? `after the end of the text, which has ${bytes} bytes` : 'inside a character';
  return refuseValue([param], `means byte ${byte}, which is ${where}; read the block again and count in UTF-8`);
}

/** Adds to the end of a block that is being written: its text, or the arguments of a call. */
export function decideAppendText(
  state: RootState,
  agent: string,
  { block_id: id, text: given }: z.infer<ReturnType<typeof appendParams>>,
  editor: () => TextEditor,
): VersionDecision {
  const found = placeOfBlock(state, id);
  if (found === undefined) return refuseMissingBlock(id, state);
  const { type, status, version = 1 } = found.block;
  const field = type === 'tool-use' ? 'arguments' : editableText(found.block) === undefined ? undefined : 'text';
  if (field === undefined) return refuseNotText(found.block);
  const live = field === 'text' ? undefined : liveTurnAt(state, found.node.id);
  if (live !== undefined) return refuse({ reason: 'turn-live', turns: [live], node: found.node.id, where: 'node' });
  if (status !== 'pending' && status !== 'running') {
    return refuse({ reason: 'bad-status', block: id, status: status ?? 'done', wanted: 'unfinished' });
  }
  const text = cleanText(given);
  if (text === '') return { ok: true, ops: [], value: { version } };
  const op = appendOp(state, editor, { agent, unit: editUnit(state) }, { block: id, field, text }, false);
  const begin: RootOp[] =
    op.type === 'text' && status === 'pending' ? [{ type: 'status', block: id, status: 'running' }] : [];
  return { ok: true, ops: [...begin, op], value: { version: version + 1 } };
}

/** Says how far a block is. It goes forward only: pending, running, then done or error for good. */
export function decideStatus(
  state: RootState,
  { block_id: id, status, error }: z.infer<ReturnType<typeof statusParams>>,
): VersionDecision {
  const found = placeOfBlock(state, id);
  if (found === undefined) return refuseMissingBlock(id, state);
  const { status: before = 'done', version = 1 } = found.block;
  const live = liveTurnAt(state, found.node.id);
  if (live !== undefined) return refuse({ reason: 'turn-live', turns: [live], node: found.node.id, where: 'node' });
  if (error !== undefined && status !== 'error') return refuseValue(['error'], 'goes with status error only');
  if (before === status) return { ok: true, ops: [], value: { version } };
  const order = ['pending', 'running', 'done'];
  if (
    before === 'done' ||
    before === 'error' ||
    (order.indexOf(status) < order.indexOf(before) && status !== 'error')
  ) {
    return refuse({ reason: 'bad-status', block: id, status: before, wanted: status });
  }
  const op: Extract<RootOp, { type: 'status' }> = { type: 'status', block: id, status };
  if (error !== undefined) op.error = { code: cleanText(error.code), message: cleanText(error.message) };
  if (found.block.type === 'tool-use' && status === 'done' && found.block.arguments !== undefined) {
    op.parameters = keepToolArguments(found.block.arguments).parameters;
  }
  return { ok: true, ops: [op], value: { version: version + 1 } };
}

interface Flip {
  readonly id: string;
  readonly which: 'undo' | 'redo';
  readonly seed: number;
  /** The edit that is meant, and the version that it made. Default: the agent's own, the last one. */
  readonly edit?: (MadeEdit & { readonly version: number }) | undefined;
}

/** Takes back the agent's last unit in a text or one that is named, or brings back the one that was taken back last. */
export function decideFlip(
  state: RootState,
  agent: string,
  { id, which, seed, edit }: Flip,
  editor: () => TextEditor,
): VersionDecision {
  const found = textAt(state, id);
  if ('refusal' in found) return found;
  if (seed < (state.texts.get(id)?.since ?? 1)) return refuse({ reason: 'text-replaced', block: id });
  const document = state.texts.has(id) ? editor().open(state, id) : undefined;
  const unit =
    edit !== undefined
      ? document && namedUnit(document.units, which, edit)
      : which === 'undo'
        ? document?.undoable(agent)
        : document?.redoable(agent);
  if (unit === undefined) {
    const named = edit === undefined ? {} : { version: edit.version };
    return refuse({ reason: 'nothing-to-undo', which, block: id, ...named });
  }
  const flip = flipOp(state, editor(), id, unit.ordinal);
  const undone = state.history.changesOf(flip).map((change): RootOp => ({ type: 'undone', change }));
  return { ok: true, ops: [flip, ...undone], value: { version: (found.block.version ?? 1) + 1 } };
}

function namedUnit(units: readonly UndoUnit[], which: 'undo' | 'redo', edit: MadeEdit): UndoUnit | undefined {
  const unit = unitOfEdit(units, edit, which === 'undo');
  return unit !== undefined && editStateOf(unit) === (which === 'undo' ? 'done' : 'undone') ? unit : undefined;
}

/** An update that a client made for its own document of a text. */
export interface ClientUpdate {
  block_id: string;
  client: number;
  /** The version whose text the client's document began with. */
  seed: number;
  /** Updates of one burst are undone together. */
  burst: number;
  update: Uint8Array;
}

/** Takes in an update that a client made in its own copy of the document. */
export function decideUpdate(
  state: RootState,
  agent: string,
  { block_id: id, client, seed, burst, update }: ClientUpdate,
  editor: () => TextEditor,
): VersionDecision {
  const found = textAt(state, id);
  if ('refusal' in found) return found;
  if (state.clients.get(client) !== agent) {
    return refuse({ reason: 'unknown-client', client, agent });
  }
  if (seed < (state.texts.get(id)?.since ?? 1)) return refuse({ reason: 'text-replaced', block: id });
  const { version = 1, status } = found.block;
  const author = { agent, unit: `typing-${client}-${burst}` };
  const taken = editor().open(state, id).takeUpdate(author, client, update);
  if (!taken.ok) return refuseValue(['update'], taken.problem);
  const ops: RootOp[] = status === 'pending' ? [{ type: 'status', block: id, status: 'running' }] : [];
  ops.push({
    type: 'text',
    block: id,
    splices: taken.edit.splices,
    unit: author.unit,
    client,
    update: taken.edit.update,
  });
  return { ok: true, ops, value: { version: version + 1 } };
}

function refuseNotText({ block_id: block = '', type: kind }: MessageBlock): Refused {
  return refuse({ reason: 'not-text', block, kind });
}

type TextBlockPlace = PlacedBlock & { readonly text: string };

function textAt(state: RootState, id: string): TextBlockPlace | Refused {
  const found = placeOfBlock(state, id);
  if (found === undefined) return refuseMissingBlock(id, state);
  const text = editableText(found.block);
  return text === undefined ? refuseNotText(found.block) : { ...found, text };
}
