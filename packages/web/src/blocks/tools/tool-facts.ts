import type { MessageBlock, ToolBlock } from '@loom/blocks';
import { count } from '../../words/amounts.ts';
import { countDiff } from '../changes/diff-rows.ts';
import { lineRange } from '../line-range.ts';

/** The outcome of a call, short enough for its line. */
export type ToolFact =
  | { readonly kind: 'text'; readonly text: string; readonly isBad: boolean }
  | { readonly kind: 'lines'; readonly added: number; readonly deleted: number };

const text = (words: string, isBad = false): ToolFact => ({ kind: 'text', text: words, isBad });

/** `exit 1`, `+3 −3`, `2 sources`, `2 of 5`, `214 lines` */
export function factOf(views: readonly (MessageBlock | ToolBlock)[]): ToolFact | undefined {
  for (const view of views) {
    switch (view.type) {
      case 'command':
        if (view.exit_code !== undefined) return text(`exit ${view.exit_code}`, view.exit_code !== 0);
        break;
      case 'file-change': {
        const counts = view.changes.map(({ diff }) => countDiff(diff));
        const sum = (side: 'added' | 'deleted'): number => counts.reduce((all, one) => all + one[side], 0);
        if (sum('added') + sum('deleted') > 0) return { kind: 'lines', added: sum('added'), deleted: sum('deleted') };
        break;
      }
      case 'sources':
        return text(count(view.sources.length, 'source'));
      case 'todo':
        return text(`${view.items.filter(({ status }) => status === 'completed').length} of ${view.items.length}`);
      case 'code':
        return text(lineRange(view, view.content.replace(/\n$/u, '').split('\n').length));
      default:
    }
  }
  return undefined;
}

/** Returns the reason a call failed, if its first line is short enough to say it. */
export function failureWords(said: string): string {
  const [first = ''] = said.trim().split('\n');
  const words = first.replace(/^(?:error|failed):\s*/iu, '').replace(/\.$/u, '');
  return words !== '' && words.length <= 32 ? words : 'failed';
}
