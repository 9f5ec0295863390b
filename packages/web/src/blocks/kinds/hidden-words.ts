import type { HiddenRow } from '../../conversation/rows.ts';
import { count } from '../../words/amounts.ts';

/** `14 tool blocks hidden` */
export function hiddenWords({ blocks, kinds }: Pick<HiddenRow, 'blocks' | 'kinds'>): string {
  const isThinking = kinds.every((kind) => kind === 'thinking');
  const isTools = kinds.every((kind) => kind !== 'thinking' && kind !== 'raw');
  return `${count(blocks, isThinking ? 'thinking block' : isTools ? 'tool block' : 'block')} hidden`;
}
