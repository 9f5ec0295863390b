import type { MessageBlock, TextSplice } from '@loom/blocks';
import { editableText, withText } from '@loom/blocks';
import type { LoggedEdit, UnitFlip } from '@loom/blocks/document';
import type { Change } from '../change.ts';
import type { RootOp } from '../op.ts';
import { TextHistory } from '../text/text-history.ts';
import { unitOfChange } from '../text/unit-name.ts';
import type { FeedEvent } from './feed.ts';
import type { RootState } from './root-state.ts';

export function historyOf(state: RootState, block: string): TextHistory {
  const known = state.texts.get(block);
  if (known !== undefined) return known;
  const history = new TextHistory(1, state.keepsEdits);
  state.texts.set(state.block(block)?.block_id ?? block, history);
  return history;
}

/** The text of a block was replaced by another one: nothing that was edited before can be undone in it. */
export function forgetHistory(state: RootState, id: string, { version }: MessageBlock): void {
  state.obsoleteParts.push(...(state.texts.get(id)?.saved ?? []));
  state.texts.set(id, new TextHistory(version, state.keepsEdits));
}

/** A node was split inside a block: its beginning is taken out, by no unit. One that was never edited just begins later. */
export function cutHistory(state: RootState, block: MessageBlock, offset: number): void {
  const history = state.texts.get(block.block_id ?? '');
  const version = (block.version ?? 0) + 1;
  // One that was only looked at counts as none: other processes have not looked.
  if (history === undefined || history.isUntouched)
    return forgetHistory(state, block.block_id ?? '', { ...block, version });
  history.begin(editableText(block) ?? '');
  history.cut(offset, version);
}

export function noteAppend(state: RootState, op: Extract<RootOp, { type: 'text-appended' }>, agent: string): void {
  const before = op.field === 'text' ? blockText(state, op.block) : undefined;
  if (before === undefined) return;
  const history = historyOf(state, op.block);
  const { text } = op;
  const unit = state.turns.get(op.unit)?.id ?? op.unit;
  if (!history.hasDocument) return history.append(state.shared.agent(agent), unit, before.length, text.length);
  const splices = [{ at: before.length, delete: 0, insert: text }];
  history.applyEdit({ agent, unit, client: noClient, splices });
  history.spliceText(before, splices);
}

/** A unit that has the name of its change holds nothing else. */
export function loggedEdit(
  { unit, client, splices, update }: Extract<RootOp, { type: 'text' }>,
  { agent, seq }: Change<RootOp>,
): LoggedEdit {
  return { agent, unit, isWhole: unit === unitOfChange(seq), client, splices, update };
}

export function flipOf({ unit, update, copies }: Extract<RootOp, { type: 'unit' }>): Omit<UnitFlip, 'splices'> {
  return update === undefined ? { unit, copies } : { unit, update, copies };
}

/** Text that was added to the end is reported as such, even while other agents edit. */
export function textEvent(
  { block: id, splices, update }: { block: string; splices: TextSplice[]; update?: string },
  before: string,
  { version = 0 }: MessageBlock,
): FeedEvent {
  const more = update === undefined ? {} : { update };
  const [splice, ...others] = splices;
  if (splice?.at === before.length && others.length === 0) {
    return { type: 'text-appended', block: id, field: 'text', version, text: splice.insert, ...more };
  }
  return { type: 'text-changed', block: id, version, changes: splices, ...more };
}

/** A block with another text. Thoughts that are again what the model wrote are its own again. */
export function rewrite(state: RootState, old: MessageBlock, text: string): MessageBlock {
  const block = withText(withoutPrefix(old), text);
  const id = old.block_id ?? '';
  if (old.prefix !== undefined && block.prefix === undefined) state.retired.set(id, old);
  const generated = block.type === 'thinking' ? state.retired.get(id) : undefined;
  if (generated?.prefix === undefined || editableText(generated) !== text) return block;
  state.retired.delete(id);
  return { ...block, prefix: generated.prefix };
}

/** Words that a model did not write may not go back to it as its own thoughts: without a prefix they never do. */
export function withoutPrefix(block: MessageBlock): MessageBlock {
  if (block.type !== 'thinking') return block;
  const { prefix: _prefix, ...rest } = block;
  return rest;
}

function blockText(state: RootState, id: string): string | undefined {
  const block = state.block(id);
  if (block === undefined) throw new ReferenceError(`there is no block ${id}`);
  return editableText(block);
}

/** The client of appends that were logged without one. No client is ever given this id. */
const noClient = 0;
