import { mergeText, spliceText } from '@loom/blocks';
import { diffTexts, formatDiff } from '@loom/blocks/patch';
import type { Loom } from '../runtime/loom.ts';
import { orFail } from '../words/refusal-error.ts';

/** Others may change the same lines again and again; after so many times they are let go first, and the text is kept. */
const mostTries = 50;

/** A text that was put into a block, with the version that it made; no version if the block said it already. */
export interface PutText {
  readonly version?: number;
  readonly text: string;
}

/**
 * Carries an edit of an earlier text, `base` to `edited`, into a block as it is by now: a three-way merge, in which what others wrote
 * meanwhile stays. It is one edit, which is undone at once.
 */
export async function putText(
  { call }: Pick<Loom, 'call'>,
  id: string,
  { base, edited }: { base: string; edited: string },
): Promise<PutText> {
  for (let tries = 1; ; tries += 1) {
    const { content } = orFail(await call('block.read', { block_id: id, line_numbers: false }));
    const text = spliceText(content, mergeText(base, content, edited));
    const patch = formatDiff('before', 'after', diffTexts(content, text));
    if (patch === undefined) return { text };
    const outcome = await call('block.apply_patch', { block_id: id, patch });
    if (outcome.ok) {
      const { version } = outcome.value;
      return version === undefined ? { text } : { version, text };
    }
    // Someone was faster on the same lines: they are merged, too.
    if (outcome.refusal.reason !== 'patch-failed' || tries === mostTries) orFail(outcome);
  }
}
