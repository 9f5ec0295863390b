import type { TextSplice } from '@loom/blocks';

/** The most characters that one edit inserts: a frame takes at most 1 MB, and they become up to four bytes each in base64. */
const longest = 64 * 1024;

/**
 * Divides splices, in order and one for each place, into batches that fit into a frame. Each batch has the offsets of the text
 * after the batches before it.
 */
export function inParts(splices: readonly TextSplice[]): TextSplice[][] {
  const parts: TextSplice[][] = [];
  let part: TextSplice[] = [];
  let [size, shift, growth] = [0, 0, 0];
  const end = (): void => {
    if (part.length > 0) parts.push(part);
    part = [];
    size = 0;
    shift += growth;
    growth = 0;
  };
  const add = ({ at, delete: count, insert }: TextSplice): void => {
    if (size + insert.length > longest) end();
    part.push({ at: at + shift, delete: count, insert });
    size += insert.length;
    growth += insert.length - count;
  };
  for (const { at, delete: count, insert } of splices) {
    const [first = '', ...others] = pieces(insert);
    add({ at, delete: count, insert: first });
    for (const other of others) {
      end();
      add({ at: at + count, delete: 0, insert: other });
    }
  }
  end();
  return parts;
}

/** Cuts a text into pieces, none of them within a character. */
function pieces(text: string): string[] {
  const all: string[] = [];
  for (let start = 0; start < text.length;) {
    let stop = Math.min(text.length, start + longest);
    if (stop < text.length && text.slice(stop - 1, stop + 1).codePointAt(0) !== text.charCodeAt(stop - 1)) stop -= 1;
    all.push(text.slice(start, stop));
    start = stop;
  }
  return all;
}
