import type { ResultOf } from '@loom/kernel';
import { showControls } from '../chat/drawing/column.ts';
import type { Style } from '../terminal/style.ts';

/** A place in a text that a search has found, between the lines around it. */
type TextMatch = ResultOf<'kernel.search'>['blocks'][number]['matches'][number];

/** The lines of the matches in one text as grep prints them: `3:` a line that matches, `4-` one beside it, `--` a gap. */
export function renderMatches(
  matches: readonly TextMatch[],
  context: number,
  style: Style,
  isScreen: boolean,
): string[] {
  const clean = isScreen ? showControls : (text: string): string => text;
  const rendered: string[] = [];
  let previous: number | undefined;
  for (const [number, { text, spans }] of gatherLines(matches, context)) {
    if (context > 0 && previous !== undefined && number > previous + 1) rendered.push(style.faint('--'));
    previous = number;
    const words = spans === undefined ? clean(text) : highlight(text, spans, clean, style);
    rendered.push(`${style.faint(`${number}${spans === undefined ? '-' : ':'}`)} ${words}`.trimEnd());
  }
  return rendered;
}

interface GatheredLine {
  text: string;
  /** The matches; a line that is only shown beside one has none. */
  spans?: { start: number; end: number }[];
}

/** Gathers all lines by their number, in order: matches near each other share some. */
function gatherLines(matches: readonly TextMatch[], context: number): [number, GatheredLine][] {
  const lines = new Map<number, GatheredLine>();
  for (const { line, content, match_start: start, match_end: end } of matches) {
    const first = line - Math.min(context, line);
    for (const [index, text] of content.split('\n').entries()) {
      const number = first + index;
      const known = lines.get(number);
      if (number !== line) {
        if (known === undefined) lines.set(number, { text });
      } else if (known?.spans === undefined) lines.set(number, { text, spans: [{ start, end }] });
      else known.spans.push({ start, end });
    }
  }
  return [...lines].sort(([one], [other]) => one - other);
}

/** The length from which a line may have been cut, so that columns do not show where its match is. */
const longLine = 2000;

function highlight(
  text: string,
  spans: readonly { start: number; end: number }[],
  clean: (text: string) => string,
  style: Style,
): string {
  if (text.length >= longLine) return clean(text);
  let shown = '';
  let at = 0;
  for (const { start, end } of spans) {
    shown += clean(text.slice(at, start)) + style.odd(clean(text.slice(start, end)));
    at = end;
  }
  return shown + clean(text.slice(at));
}
