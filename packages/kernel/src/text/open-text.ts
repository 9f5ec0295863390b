import { editableText } from '@loom/blocks';
import { BlockDocument } from '@loom/blocks/document';
import type { BlockText } from '@loom/blocks/document';
import type { RootState } from '../root-state.ts';
import { TextHistory } from './text-history.ts';

/** The text document of a block. Opening is no change: everybody who opens the block now begins with the same text. */
export function openText(state: RootState, id: string): BlockText {
  const block = state.block(id);
  const text = block && editableText(block);
  if (text === undefined) throw new TypeError(`the block ${id} has no text to edit`);
  const history = state.texts.get(id) ?? new TextHistory(1, state.keepsEdits);
  state.texts.set(id, history);
  return history.open((seed, runs) => new BlockDocument(seed, runs), text);
}
