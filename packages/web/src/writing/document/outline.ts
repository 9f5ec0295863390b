/** A heading of a text in Markdown. */
export interface Heading {
  readonly words: string;
  /** From 1, the highest, to 6. */
  readonly level: number;
  /** The offset of its line. */
  readonly at: number;
}

/** Lists the headings of a text; what stands in code is none. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/u.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const [, signs, words] = /^ {0,3}(#{1,6})[ \t]+(\S.*?)(?:[ \t]+#+)?\s*$/u.exec(line) ?? [];
      if (signs !== undefined && words !== undefined) headings.push({ words, level: signs.length, at });
    }
    at += line.length + 1;
  }
  return headings;
}

/** Counts the words of a text: runs of letters and digits, with what joins them inside. */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}\p{M}]+(?:['’.-][\p{L}\p{N}\p{M}]+)*/gu)?.length ?? 0;
}
