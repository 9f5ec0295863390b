import { editableText } from '@loom/blocks';
import { diffTexts, formatDiff } from '@loom/blocks/patch';
import { Column } from '../chat/drawing/column.ts';
import type { Call } from '../command-line/command.ts';
import { priceOfChange } from '../models/edit-cost.ts';
import type { Loom } from '../runtime/loom.ts';
import { styleFor } from '../terminal/style.ts';
import { renderDiff } from './diff-lines.ts';
import type { TextPlace } from './text-place.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** Reports the change of a text: its new version, the difference from `place`, which is as it was before, and the cost. */
export async function tellEdit(
  loom: Loom,
  place: TextPlace,
  version: number,
  { isJson, terminal }: Call,
  { did, facts = {} }: { did?: string; facts?: Readonly<Record<string, unknown>> } = {},
): Promise<void> {
  const { id, root, node, block, name, word } = place;
  const { version: before = 1 } = block;
  // Text that an undo or redo brings back has been there before, and was paid for then.
  const state = await loom.open(root);
  const price = did === undefined ? priceOfChange(state, node, loom) : undefined;
  if (isJson) {
    const cost = price === undefined ? {} : { price };
    terminal.out(`${JSON.stringify({ ok: true, root, block_id: id, version, ...facts, ...cost })}\n`);
    return;
  }
  if (version === before) {
    terminal.out(`${name} says that already.\n`);
    return;
  }
  // Both texts are at hand: a change that is made must not be reported as failed because the log could not be read once more.
  const now = editableText(state.block(id) ?? block) ?? '';
  const diff = formatDiff('before', 'after', diffTexts(editableText(block) ?? '', now)) ?? '';
  const column = new Column(terminal.out, styleFor(terminal, 'out'), terminal.screen.isOut);
  column.addLines([
    { text: `${did ?? 'Changed'} ${name}; it has version ${version} now.` },
    ...renderDiff(diff).slice(2),
  ]);
  if (price !== undefined) terminal.note(`${price} To take it back: ${suggest(`undo ${word}`)}\n`);
}
