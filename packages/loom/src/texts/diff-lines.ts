import type { Line } from '../chat/drawing/column.ts';
import type { Tone } from '../terminal/style.ts';

/** A unified diff as lines for a terminal. */
export function renderDiff(diff: string): Line[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => {
      const tone = toneOf(text);
      return tone === undefined ? { text } : { text, tone };
    });
}

function toneOf(line: string): Tone | undefined {
  if (line.startsWith('+')) return 'good';
  if (line.startsWith('-')) return 'bad';
  return line.startsWith('@@') || line.startsWith('\\') ? 'faint' : undefined;
}
