/** The old side of a hunk as a search sees it: numbers that stand for lines, and where it says it belongs. */
export interface HunkPattern {
  lines: readonly number[];
  /** The line, counted from 0, at which the hunk says it starts. */
  start: number;
  /** Kept lines before its first change and behind its last one. */
  contextBefore: number;
  contextBehind: number;
}

/**
 * The line at which a hunk fits, found as GNU patch finds it without fuzz: at `start` displaced like the hunk before,
 * else nearest to there, of two equally near places the later one, never before `floor`. `undefined` if it fits nowhere.
 * With less context behind its changes than before them it fits at the end of the text or, if there is any, exactly at `start`.
 */
export function locateHunk(
  text: readonly number[],
  pattern: HunkPattern,
  displacement: number,
  floor: number,
): number | undefined {
  const { start, lines, contextBefore, contextBehind } = pattern;
  const ceiling = text.length - lines.length;
  const tryAt = (place: number): number | undefined =>
    place >= floor && place <= ceiling && fitsAt(text, lines, place) ? place : undefined;
  // Nothing but the line number tells where lines without context belong.
  if (contextBefore === 0 && contextBehind === 0) return displacement === 0 ? tryAt(start) : undefined;
  // A diff program gives less context on one side only where the file begins or ends. A person or a model may have left
  // lines out: with some context behind it fits exactly where it says, but is not looked for elsewhere.
  if (contextBefore < contextBehind && start === 0) return tryAt(0);
  if (contextBehind < contextBefore)
    return tryAt(ceiling) ?? (contextBehind > 0 && displacement === 0 ? tryAt(start) : undefined);
  const guess = start + displacement;
  return tryAt(guess) ?? searchNear(text, lines, guess, floor, ceiling);
}

function fitsAt(text: readonly number[], lines: readonly number[], place: number): boolean {
  return lines.every((line, index) => text[place + index] === line);
}

/** Looks through windows that grow fourfold, each in linear time, so that repetitive texts cannot make it slow. */
function searchNear(
  text: readonly number[],
  lines: readonly number[],
  guess: number,
  floor: number,
  ceiling: number,
): number | undefined {
  const fallbacks = prefixLengths(lines);
  for (let radius = 64; ; radius *= 4) {
    const first = Math.max(floor, guess - radius);
    const last = Math.min(ceiling, guess + radius);
    let best: number | undefined;
    for (const place of findAll(text, lines, fallbacks, first, last)) {
      if (best === undefined || Math.abs(place - guess) <= Math.abs(best - guess)) best = place;
    }
    if (best !== undefined) return best;
    if (guess - radius <= floor && guess + radius >= ceiling) return undefined;
  }
}

/** Every place from `first` to `last` at which the lines stand, in order (Knuth, Morris, Pratt). */
function* findAll(
  text: readonly number[],
  lines: readonly number[],
  fallbacks: readonly number[],
  first: number,
  last: number,
): Generator<number> {
  let matched = 0;
  for (let at = first; at < last + lines.length; at += 1) {
    while (matched > 0 && text[at] !== lines[matched]) matched = fallbacks[matched - 1] ?? 0;
    if (text[at] === lines[matched]) matched += 1;
    if (matched < lines.length) continue;
    yield at + 1 - matched;
    matched = fallbacks[matched - 1] ?? 0;
  }
}

/** For each beginning of the lines the length of the longest shorter beginning that it ends with. */
function prefixLengths(lines: readonly number[]): number[] {
  const lengths = [0];
  let matched = 0;
  for (const line of lines.slice(1)) {
    while (matched > 0 && line !== lines[matched]) matched = lengths[matched - 1] ?? 0;
    if (line === lines[matched]) matched += 1;
    lengths.push(matched);
  }
  return lengths;
}
