import { renderBlockAsText } from '@loom/blocks';
import type { PathBase } from '@loom/blocks';
import { joinParts, messagesOf, pathTo, readRootSettings } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import { shortName, speakerOf } from '../../forest-view/node-line.ts';
import { count } from '../../terminal/progress.ts';
import { renderCall } from './cards.ts';
import type { Line } from './column.ts';

/** The number of messages recalled, results not counted, and of lines of each. */
const [mostMessages, mostLines] = [4, 8];

/** Returns the last messages on the way to a place, so that a person knows where they are. */
export function recallPath(state: RootState, place: string): Line[] {
  const messages = messagesOf(pathTo(state, place)).filter(([head]) => head?.role !== 'tool');
  const recalled = messages.slice(-mostMessages);
  const left = messages.length - recalled.length;
  return [
    ...(left === 0 ? [] : [{ text: `(${count(left, 'message')} before this)`, tone: 'faint' as const }, { text: '' }]),
    ...recalled.flatMap((parts) => [
      ...recallMessage(parts, { folder: readRootSettings(state.config).directory }),
      { text: '' },
    ]),
  ].slice(0, -1);
}

function recallMessage(parts: readonly NodeState[], base: PathBase): Line[] {
  const [last] = parts.slice(-1);
  if (last === undefined) return [];
  const lines = joinParts(parts).flatMap((block): Line[] => {
    if (block.type === 'thinking') return [];
    if (block.type === 'tool-use') return renderCall(block, base);
    return renderBlockAsText(block)
      .trim()
      .split('\n')
      .map((text) => ({ text }));
  });
  const head: Line = { text: `${speakerOf(last)} · ${shortName(last.id)}`, tone: 'faint' };
  if (lines.length <= mostLines) return [head, ...lines];
  const rest = lines.length - mostLines + 1;
  return [head, ...lines.slice(0, mostLines - 1), { text: `… ${count(rest, 'more line')}`, tone: 'faint' }];
}
