import { foldCase } from './case-folding.ts';
import { callSteps, MeteredText } from './metered-text.ts';
import { matchesOf } from './native/native-matches.ts';
import type { LiteralMatcher, PatternMatcher, QueryMatcher } from './query.ts';
import { indexOfMetered, OutOfWork, stepsPerScanned } from './work-meter.ts';
import type { WorkMeter } from './work-meter.ts';

/** The place of a match in a text: UTF-16 offsets. `from` and `to` bound the line without its line ending. */
export interface LineMatch {
  from: number;
  to: number;
  start: number;
  end: number;
}

/**
 * The matches in a text, line by line, from left to right, none overlapping another. A line ends at `\n`; a `\r` before
 * that belongs to the line ending. Ends early when the meter is exhausted.
 */
export function* lineMatches(text: string, matcher: QueryMatcher, meter: WorkMeter): Generator<LineMatch, void> {
  try {
    yield* matcher.type === 'literal' ? literalMatches(text, matcher, meter) : patternMatches(text, matcher, meter);
  } catch (error) {
    // The meter says it too; the matches up to here are right.
    if (!(error instanceof OutOfWork)) throw error;
  }
}

function* literalMatches(text: string, matcher: LiteralMatcher, meter: WorkMeter): Generator<LineMatch, void> {
  const needle = matcher.text;
  if (needle.includes('\n')) return;
  let start = indexOfMetered(text, needle, 0, meter);
  let line: Line | undefined;
  while (start !== -1) {
    // One long line may hold very many matches: its ends are looked for once.
    if (line === undefined || start >= line.next) line = lineAround(text, start, meter);
    const end = start + needle.length;
    if (end <= line.to) yield { from: line.from, to: line.to, start, end };
    start = indexOfMetered(text, needle, end <= line.to ? end : start + 1, meter);
  }
}

function* patternMatches(text: string, matcher: PatternMatcher, meter: WorkMeter): Generator<LineMatch, void> {
  const { ignoreCase, required, quick } = matcher;
  if (quick !== undefined) {
    meter.spend(text.length * stepsPerQuick);
    yield* matchesOf(text, quick);
    return;
  }
  if (ignoreCase && required.length > 0) meter.spend(text.length * stepsPerFolded);
  const haystack = ignoreCase && required.length > 0 ? foldCase(text) : text;
  if (!required.every((clause) => clause.some((needle) => indexOfMetered(haystack, needle, 0, meter) !== -1))) return;
  const [clause] = required;
  const needles = clause?.map((needle) => ({ needle, next: -1 }));
  let offset = 0;
  while (offset < text.length) {
    if (needles !== undefined) {
      const candidate = nextNeedle(haystack, needles, offset, meter);
      if (candidate === -1) return;
      offset = candidate;
    }
    const line = lineAround(text, offset, meter);
    yield* matchesInLine(text.slice(line.from, line.to), line, matcher, meter);
    offset = line.next;
  }
}

/** The first place at or behind an offset where one of the needles is. Each needle is looked for again only when it is passed. */
function nextNeedle(
  text: string,
  needles: { needle: string; next: number }[],
  offset: number,
  meter: WorkMeter,
): number {
  let first = -1;
  for (const entry of needles) {
    if (entry.next < offset) {
      const found = indexOfMetered(text, entry.needle, offset, meter);
      entry.next = found === -1 ? text.length : found;
    }
    if (entry.next < text.length && (first === -1 || entry.next < first)) first = entry.next;
  }
  return first;
}

function* matchesInLine(
  content: string,
  line: Line,
  { pattern, size, matcherOn }: PatternMatcher,
  meter: WorkMeter,
): Generator<LineMatch, void> {
  if (!passesAutomaton(content, pattern, size, meter)) return;
  const view = new MeteredText(content, meter, size);
  const matcher = matcherOn(view);
  view.searchFrom(0);
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    yield { from: line.from, to: line.to, start: line.from + start, end: line.from + end };
    view.searchFrom(end);
  }
}

/**
 * Asks the engine's automaton, which only says yes or no but is ten times as fast, whether a line matches. It cannot be
 * interrupted, and a pattern that needs very many states makes it as slow as anything: so it sees only lines short enough for
 * that, and no more of them once the states are many.
 */
function passesAutomaton(content: string, pattern: PatternMatcher['pattern'], size: number, meter: WorkMeter): boolean {
  const automaton = pattern.re2().dfa;
  // A state holds instructions of the pattern, and a table with an entry for each class of characters that it tells apart.
  const stepsPerState = size + automaton.numClasses / 4;
  const worst = content.length * stepsPerState;
  const before = automaton.stateCount;
  if (worst > Math.min(maxUninterrupted, meter.left) || before * stepsPerState > maxBuilding) return true;
  const matches = pattern.test(content);
  // A full automaton forgets everything, the starts too, and the states it built meanwhile are unknown.
  const forgot = automaton.stateCount > 0 && automaton.startStates.size === 0;
  const building = forgot ? 2 * worst : (automaton.stateCount - before) * stepsPerState;
  meter.spend(callSteps + content.length * stepsPerTransition + building);
  return matches;
}

/** A line without its line ending, and where the next one begins. */
interface Line {
  from: number;
  to: number;
  next: number;
}

function lineAround(text: string, offset: number, meter: WorkMeter): Line {
  const from = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const newline = text.indexOf('\n', offset);
  const next = newline === -1 ? text.length : newline + 1;
  meter.spend((next - from) * stepsPerScanned);
  if (newline === -1) return { from, to: next, next };
  return { from, to: newline > from && text[newline - 1] === '\r' ? newline - 1 : newline, next };
}

const stepsPerTransition = 1 / 2;
const stepsPerFolded = 1 / 2;
const stepsPerQuick = 1 / 4;
const maxUninterrupted = 500_000;
const maxBuilding = 500_000;
