import type { CodeBlock } from '@loom/blocks';
import { count } from '../words/amounts.ts';

/** `41–45 of 214`, or `214 lines` where it is a whole file. */
export function lineRange({ start_line: start, total_lines: total }: CodeBlock, lines: number): string {
  const isWhole = (start ?? 1) === 1 && (total === undefined || total <= lines);
  if (isWhole) return count(lines, 'line');
  const end = (start ?? 1) + lines - 1;
  return `${start ?? 1}–${end}${total === undefined ? '' : ` of ${total}`}`;
}
