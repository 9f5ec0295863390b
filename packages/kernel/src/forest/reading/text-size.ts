import { renderBlockAsText, utf8Length } from '@loom/blocks';
import type { Forest } from '../forest.ts';

/** The amount of text in a conversation. */
export interface TextSize {
  /** In UTF-8, of all blocks as they are now, those of deleted messages too. */
  bytes: number;
  /** The number of conversations, without purged ones. */
  conversations: number;
}

/** Measures all conversations one by one, releasing each. Those that cannot be read are left out. */
export async function measureTexts(
  forest: Pick<Forest, 'roots' | 'log' | 'stateUnlessDamaged'>,
  { signal, report }: { signal?: AbortSignal; report: (done: number, all: number) => void },
): Promise<TextSize> {
  const roots = await forest.roots();
  const size = { bytes: 0, conversations: 0 };
  for (const [index, root] of roots.entries()) {
    if (signal?.aborted === true) break;
    const state = await forest.stateUnlessDamaged(root);
    // A purged conversation leaves nothing but its number.
    if (state !== undefined && (!state.deleted || state.nodes.size > 0)) size.conversations += 1;
    for (const { blocks } of state?.nodes.values() ?? []) {
      for (const block of blocks) size.bytes += utf8Length(renderBlockAsText(block));
    }
    forest.log(root).releaseAtOnce();
    report(index + 1, roots.length);
  }
  return size;
}
