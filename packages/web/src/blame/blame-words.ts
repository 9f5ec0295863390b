import type { ResultOf } from '@loom/kernel';
import { sourceName } from '../conversation/who.ts';
import { messageTime } from '../words/times.ts';

export type Blame = ResultOf<'file.blame'>;
export type BlamedTurn = Blame['turns'][number];
export type BlamedRange = Blame['ranges'][number];
export type Commit = Blame['commits'][number];

/** A file, and a line of it as its reader saw it. */
export interface FileLine {
  readonly path: string;
  readonly line?: number;
  /** The words of the line there: the file may have changed since. */
  readonly text?: string;
}

/** Reads `path` or `path:12`. A path that ends so itself is written with a line after it. */
export function readFileLine(words: string): FileLine {
  const { path = words, line } = /^(?<path>.+?):(?<line>[1-9]\d*)$/u.exec(words.trim())?.groups ?? {};
  return { path: path.trim(), ...(line === undefined ? {} : { line: Number(line) }) };
}

export function fileLineWords({ path, line }: FileLine): string {
  return line === undefined ? path : `${path}:${line}`;
}

/** Returns the number that a line has now: of the lines that say the same, the one nearest to where it was; `undefined` if none does. */
export function lineNow(lines: readonly string[], { line = 1, text }: Omit<FileLine, 'path'>): number | undefined {
  const at = (number: number): boolean => number >= 1 && number <= lines.length;
  if (text === undefined) return at(line) ? line : undefined;
  for (let away = 0; away < lines.length + line; away += 1) {
    for (const number of [line - away, line + away]) if (at(number) && lines[number - 1] === text) return number;
  }
  return undefined;
}

/** Returns the index of the range that a line is in. */
export function rangeAt(ranges: readonly BlamedRange[], line: number): number | undefined {
  const found = ranges.findIndex(({ start, end }) => start <= line && line <= end);
  return found < 0 ? undefined : found;
}

/** `line 5`, `lines 2–5` */
export function rangeWords({ start, end }: Pick<BlamedRange, 'start' | 'end'>): string {
  return start === end ? `line ${start}` : `lines ${start}–${end}`;
}

/** The words that a turn was asked with. */
export function askedWords({ words, opening }: Pick<BlamedTurn, 'words' | 'opening'>): string {
  return words === '' ? opening : words;
}

/** The turn's place and time, and who answered: `Turn 3 of “Tide tables”`, `anthropic:claude`, `Nov 12, 4:10 PM`. */
export function turnFacts(turn: BlamedTurn, now: number): string[] {
  const { number, root_title: title, opening, model, source, time } = turn;
  const of = title ?? opening;
  const who = model ?? (source === undefined ? undefined : sourceName(source));
  const place = number === undefined ? `In “${of}”` : `Turn ${number} of “${of}”`;
  return [place, ...(who === undefined ? [] : [who]), messageTime(Date.parse(time), now)];
}

/** `1a2b3c4 Add tables (Jo, Nov 12, 4:10 PM)` */
export function commitWords({ sha, author, time, summary }: Commit, now: number): string {
  return `${sha.slice(0, 7)} ${summary} (${author}, ${messageTime(Date.parse(time), now)})`;
}
