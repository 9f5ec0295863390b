import type { LineMatch } from '../line-matches.ts';
import type { NativeExpression } from './native-pattern.ts';
import type { NativeProbe } from './native-probe.ts';

/**
 * Finds the matches of `lineMatches` with JavaScript's own engine and a pattern of `nativePattern`. The time it takes
 * depends on the pattern, and it cannot be interrupted.
 */
export function nativeMatches(text: string, { pattern, probe }: NativeExpression): Generator<LineMatch, void> {
  return text.includes('\r\n') || probe.isPattern
    ? matchesOf(text, pattern)
    : matchesInProbedLines(text, pattern, probe);
}

/** The same with the pattern alone. */
export function* matchesOf(text: string, pattern: RegExp): Generator<LineMatch, void> {
  if (!text.includes('\r\n')) {
    yield* matchesInLines(text, pattern);
    return;
  }
  // A \r before \n is not text: each line is matched without it.
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const next = newline === -1 ? text.length : newline + 1;
    const to = newline === -1 ? next : newline > from && text[newline - 1] === '\r' ? newline - 1 : newline;
    for (const { start, end } of matchesInLines(text.slice(from, to), pattern, true)) {
      yield { from, to, start: from + start, end: from + end };
    }
    from = next;
  }
}

/** Gives the pattern only lines in which there is a match, because it may take very long to find that there is none. */
function* matchesInProbedLines(text: string, pattern: RegExp, probe: NativeProbe): Generator<LineMatch, void> {
  const lineFrom = probe.over(text);
  let to = -1;
  for (let at = lineFrom(0); at !== -1; at = lineFrom(to + 1)) {
    const from = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
    const newline = text.indexOf('\n', at);
    to = newline === -1 ? text.length : newline;
    for (const { start, end } of matchesInLines(text.slice(from, to), pattern, true)) {
      yield { from, to, start: from + start, end: from + end };
    }
  }
}

function* matchesInLines(text: string, pattern: RegExp, isLine = false): Generator<LineMatch, void> {
  // Behind a final line feed there is no line, and neither in an empty text.
  const last = !isLine && (text === '' || text.endsWith('\n')) ? text.length - 1 : text.length;
  let [from, to] = [0, -1];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const start = found.index;
    if (start > last) return;
    const end = start + found[0].length;
    if (start > to) {
      from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
      const newline = text.indexOf('\n', start);
      to = newline === -1 ? text.length : newline;
    }
    yield { from, to, start, end };
    if (end === start) pattern.lastIndex = end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
}
