import { breakAt } from './lines.ts';
import type { TextSplice } from '../text/text-splice.ts';

/**
 * Spells a change in whole lines where that makes the same text: `\nX` before a line break is `X\n` behind it. An author who
 * typed or deleted it that way left the line before it alone. Other splices stay as they are; the order is that of the text.
 */
export function alignSplices(text: string, change: readonly TextSplice[]): TextSplice[] {
  const splices = [...change].sort((a, b) => a.at - b.at);
  for (const [index, splice] of splices.entries()) {
    const above = splices[index - 1];
    const floor = above === undefined ? 0 : above.at + above.delete;
    splices[index] = alignSplice(text, splice, floor, splices[index + 1]?.at ?? text.length);
  }
  return splices;
}

/** Moves a splice that only inserts or only deletes by less than its length, within `floor` and `ceiling`. */
function alignSplice(text: string, splice: TextSplice, floor: number, ceiling: number): TextSplice {
  const { at, delete: count, insert } = splice;
  if (count > 0 && insert !== '') return splice;
  const passage = count > 0 ? text.slice(at, at + count) : insert;
  // At an end without a break, whole lines bring or take the break before them.
  const isAtEnd = at + count === text.length && !text.endsWith('\n') && breakAt(passage, 0) !== '';
  if (isAtEnd || !passage.includes('\n') || isAligned(text, at, passage.at(-1))) return splice;
  const moved = (by: number): TextSplice => ({
    at: at + by,
    delete: count,
    insert: insert.slice(by) + insert.slice(0, by),
  });
  for (let by = 1; by < passage.length && at + count + by <= ceiling; by += 1) {
    if (text.charAt(at + count + by - 1) !== passage.charAt(by - 1)) break;
    if (isAligned(text, at + by, passage.at(by - 1))) return moved(by);
  }
  for (let by = 1; by < passage.length && at - by >= floor; by += 1) {
    if (text.charAt(at - by) !== passage.at(-by)) break;
    if (isAligned(text, at - by, passage.at(-by - 1))) return moved(-by);
  }
  return splice;
}

function isAligned(text: string, at: number, lastCharacter: string | undefined): boolean {
  return lastCharacter === '\n' && (at === 0 || text.charAt(at - 1) === '\n');
}
