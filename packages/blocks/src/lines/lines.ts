import type { LineRefusal } from './line-refusal.ts';

/** Lines from `start` up to but not including `end`, counted from 0. */
export interface LineRange {
  start: number;
  end: number;
}

/** The result of a read: the lines, or the reason that there are none. */
export type LineReading = { ok: true; content: string } | { ok: false; refusal: LineRefusal };

/** Counts the lines of a text: '' has none, 'a' and 'a\n' have one; `\n` and `\r\n` end a line, a lone `\r` does not. */
export function lineCount(text: string): number {
  return lineStarts(text).length - 1;
}

/**
 * The lines of a range with their own endings, or all lines; with `numbered` each has its number and a tab before it. An
 * end behind the last line means the last line, because a reader cannot know how many there are.
 */
export function readLines(text: string, range: LineRange | undefined, numbered: boolean): LineReading {
  const starts = lineStarts(text);
  const count = starts.length - 1;
  const { start, end } = range ?? { start: 0, end: count };
  if (start > end) {
    const problem = `is exclusive, so it must be at least start, which is ${start}`;
    return { ok: false, refusal: { reason: 'invalid-params', problems: [{ path: ['range', 'end'], problem }] } };
  }
  const first = starts[start];
  if (first === undefined)
    return { ok: false, refusal: { reason: 'line-out-of-range', line: start, line_count: count } };
  const last = Math.min(end, count);
  if (!numbered) return { ok: true, content: text.slice(first, starts[last]) };
  let content = '';
  for (let line = start; line < last; line += 1) {
    content += `${line}\t${text.slice(starts[line], starts[line + 1])}`;
  }
  return { ok: true, content };
}

/** `1 line`, `2 lines`. */
export function spellLineCount(count: number): string {
  return `${count} ${count === 1 ? 'line' : 'lines'}`;
}

/** Returns the start of each line, and behind them the length of the text. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/** The lines of a text with their endings; put together again they are the text. */
export function splitLines(text: string): string[] {
  const starts = lineStarts(text);
  return starts.slice(0, -1).map((start, line) => text.slice(start, starts[line + 1]));
}

/** The break by which a line ends: `''` if it has none. */
export function lineBreak(line: string): string {
  if (!line.endsWith('\n')) return '';
  return line.endsWith('\r\n') ? '\r\n' : '\n';
}

/** A line without the break at its end. */
export function withoutBreak(line: string): string {
  return line.slice(0, line.length - lineBreak(line).length);
}

/** The line break that stands at an offset, or `''`. */
export function breakAt(text: string, offset: number): string {
  if (text.startsWith('\n', offset)) return '\n';
  return text.startsWith('\r\n', offset) ? '\r\n' : '';
}
