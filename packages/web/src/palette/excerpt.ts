/** A line around a match. */
export interface Excerpt {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** The length of the line shown before a match, in characters; the screen cuts the end. */
const shownBefore = 32;
const shownAfter = 300;

interface Found {
  readonly content: string;
  readonly match_start: number;
  readonly match_end: number;
}

/** The kernel cuts longer lines around the match, and says so by `…`. */
const longestLine = 2000;

/** One line with its match. Columns count in the whole line, of which only a part may have come. */
export function excerptOf({ content, match_start: start, match_end: end }: Found, needle: string): Excerpt {
  const from = placeOf(content, start, end, needle);
  if (from === undefined) return cutBefore(content, '', '');
  const to = from + end - start;
  return cutBefore(content.slice(0, from), content.slice(from, to), content.slice(to));
}

function placeOf(content: string, start: number, end: number, needle: string): number | undefined {
  if (!content.startsWith('…') || content.length < longestLine) return start;
  if (content.endsWith('…')) return 1 + Math.floor(Math.max(longestLine - (end - start), 0) / 2);
  const found = content.toLowerCase().lastIndexOf(needle.toLowerCase());
  return found < 0 ? undefined : found;
}

function cutBefore(before: string, match: string, after: string): Excerpt {
  const line = before.trimStart();
  const kept = line.length > shownBefore ? `…${line.slice(-shownBefore).replace(/^\S*\s/u, '')}` : line;
  return { before: kept.toWellFormed(), match, after: after.slice(0, shownAfter).trimEnd().toWellFormed() };
}
