import { editableText } from '@loom/blocks';
import { BlockDocument } from '@loom/blocks/document';
import type { BlockText, SeedRun } from '@loom/blocks/document';
import type { RootState } from '../../../state/root-state.ts';
import { Unprepared } from '../../../log/unprepared.ts';
import { TextHistory } from '../../../text/text-history.ts';

/** The number of edits read into a document before others get a chance to run: some hundredths of a second. */
export const readAtOnce = 2000;

/**
 * The text document of a block. Opening changes nothing: every caller that opens the block now begins with the same text. If
 * more than `most` edits have to be read first, it throws `Unprepared`: a log then reads them, and other work runs in
 * between.
 */
export function openText(state: RootState, id: string, most = Infinity): BlockText {
  const { history, text } = historyAt(state, id);
  if (history.untold <= most) return history.open(createDocument, text);
  throw new Unprepared(async (pause) => {
    while (!history.build(createDocument, text, most).isWhole) await pause();
  });
}

function historyAt(state: RootState, id: string): { history: TextHistory; text: string } {
  const block = state.block(id);
  const text = block && editableText(block);
  if (text === undefined) throw new TypeError(`the block ${id} has no text to edit`);
  const history = state.texts.get(id) ?? new TextHistory(1, state.keepsEdits);
  state.texts.set(id, history);
  return { history, text };
}

function createDocument(seed: string, runs: readonly SeedRun[]): BlockText {
  return new BlockDocument(seed, runs);
}
