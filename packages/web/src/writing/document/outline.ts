/** A heading of a text in Markdown. */
export interface Heading {
  readonly words: string;
  /** From 1, the highest, to 6. */
  readonly level: number;
  /** The offset of its line. */
  readonly at: number;
}

/** Lines that begin or end code, and those of headings: all others are passed over without being looked at one by one. */
const marks = /^ {0,3}(?:(?<fence>`{3,}|~{3,})|(?<signs>#{1,6})[ \t]+(?<words>\S.*?)(?:[ \t]+#+)?[ \t\r]*$)/gmu;

/** Lists the headings of a text; what stands in code is none. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const { index, groups } of text.matchAll(marks)) {
    const { fence: mark, signs, words } = groups ?? {};
    if (mark === undefined) {
      if (fence === undefined && signs !== undefined && words !== undefined)
        headings.push({ words, level: signs.length, at: index });
    } else if (fence === undefined) {
      fence = mark;
    } else if (mark.startsWith(fence)) {
      const end = text.indexOf('\n', index);
      if (text.slice(index, end === -1 ? undefined : end).trim() === mark) fence = undefined;
    }
  }
  return headings;
}

/** Counts the words of a text: runs of letters and digits, with what joins them inside. */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}\p{M}]+(?:['’.-][\p{L}\p{N}\p{M}]+)*/gu)?.length ?? 0;
}

/** Counts the words of a text that changes: only the lines that differ from the text before are read again. */
export class WordCounter {
  #text = '';
  #count = 0;

  count(text: string): number {
    const before = this.#text;
    if (text === before) return this.#count;
    const shorter = Math.min(text.length, before.length);
    let start = 0;
    while (start < shorter && text.charCodeAt(start) === before.charCodeAt(start)) start += 1;
    let end = 0;
    while (
      end < shorter - start &&
      text.charCodeAt(text.length - 1 - end) === before.charCodeAt(before.length - 1 - end)
    ) {
      end += 1;
    }
    // No word goes over a line break, so whole lines are counted apart.
    start = text.lastIndexOf('\n', start - 1) + 1;
    const line = text.indexOf('\n', text.length - end);
    end = line === -1 ? 0 : text.length - line;
    const [old, now] = [before.slice(start, before.length - end), text.slice(start, text.length - end)];
    this.#count += countWords(now) - countWords(old);
    this.#text = text;
    return this.#count;
  }
}
