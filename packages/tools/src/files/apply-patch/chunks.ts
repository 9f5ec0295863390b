import { describeNear } from '../edit/near-matches.ts';
import { ToolMistake } from '../file-call.ts';
import type { Chunk } from './envelope.ts';

/**
 * Applies the chunks of an update, in order. Each must fit exactly one place behind the one before, or the nearest one behind its heading; white
 * space at the ends of lines may differ.
 */
export function applyChunks(path: string, text: string, chunks: readonly Chunk[]): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n';
  const hasLastBreak = text === '' || text.endsWith('\n');
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (hasLastBreak) lines.pop();
  const result: string[] = [];
  let next = 0;
  for (const [index, chunk] of chunks.entries()) {
    const name = chunks.length === 1 ? 'The chunk' : `Chunk ${index + 1} of ${chunks.length}`;
    const place = findPlace({ path, text, lines, name }, chunk, next);
    result.push(...lines.slice(next, place));
    let at = place;
    for (const line of chunk.lines) {
      if (line.startsWith('+')) result.push(line.slice(1));
      // A kept line stays as it is in the file.
      if (line.startsWith(' ')) result.push(lines[at] ?? '');
      if (!line.startsWith('+')) at += 1;
    }
    next = at;
  }
  result.push(...lines.slice(next));
  const joined = result.join(ending);
  return result.length > 0 && hasLastBreak ? `${joined}${ending}` : joined;
}

interface Searched {
  path: string;
  text: string;
  lines: readonly string[];
  /** The name of the chunk in messages. */
  name: string;
}

function findPlace(searched: Searched, { lines: entries, headings, isAtEnd }: Chunk, start: number): number {
  const { path, text, lines, name } = searched;
  const from = findHeadings(searched, headings, start);
  const old = entries.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  // Lines that are only added go behind their heading, or to the end of the file.
  if (old.length === 0) return headings.length > 0 && !isAtEnd ? from : lines.length;
  for (const same of [isEqual, isEqualAtStart]) {
    const places: number[] = [];
    const first = isAtEnd ? Math.max(from, lines.length - old.length) : from;
    for (let at = first; at + old.length <= lines.length; at += 1) {
      if (old.every((line, index) => same(line, lines[at + index] ?? ''))) places.push(at);
    }
    const [place] = places;
    if (place === undefined) continue;
    if (places.length === 1 || headings.length > 0) return place;
    throw new ToolMistake(
      `${name} fits ${places.length} places in ${path}, at lines ${places.slice(0, 10).join(', ')}. Nothing was changed. ` +
        'Add lines around it, or an "@@" line with the function or class that it is in.',
    );
  }
  throw new ToolMistake(`${name} does not fit ${path}. Nothing was changed.${describeNear(text, old.join('\n'))}`);
}

/** Follows the headings to the line behind the last one. */
function findHeadings({ path, text, lines, name }: Searched, headings: readonly string[], from: number): number {
  let at = from;
  for (const heading of headings) {
    const found = lines.findIndex((line, index) => index >= at && line.trim() === heading.trim());
    if (found === -1) {
      const problem = `${name}: no line of ${path} from line ${at} on is "${heading}". Nothing was changed.`;
      throw new ToolMistake(`${problem}${describeNear(text, heading)}`);
    }
    at = found + 1;
  }
  return at;
}

function isEqual(one: string, two: string): boolean {
  return one === two;
}

function isEqualAtStart(one: string, two: string): boolean {
  return one.trimEnd() === two.trimEnd();
}
