/** Bytes of one page of a long output: as much as a browser draws without a pause. */
const pageSize = 128 * 1024;

/** A line that is begun on a page is read to its end there, unless it is longer than this. */
const slack = 4 * 1024;

/** Pages that are read at once by a search. */
export const pagesAtOnce = 16;

export interface PageSpan {
  readonly start: number;
  readonly end: number;
}

export function countPages(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / pageSize));
}

/** The bytes that have to be read for some pages. */
export function bytesOfPages(first: number, count: number, bytes: number): PageSpan {
  return { start: first * pageSize, end: Math.min(bytes, (first + count) * pageSize + slack) };
}

/** The texts of pages, from the bytes that were read for them. Together all pages are the whole output: each line is on one of them. */
export function textsOfPages(read: Uint8Array, first: number, count: number, bytes: number): string[] {
  const cuts = Array.from({ length: count + 1 }, (_, index) => {
    const page = first + index;
    if (page === 0) return 0;
    return page >= countPages(bytes) ? read.length : cutAt(read, index * pageSize);
  });
  return cuts.slice(1).map((end, index) => decoder.decode(read.subarray(cuts[index], end)));
}

/** Behind the line that goes over the border of two pages or, if that is too long, behind the character. */
function cutAt(bytes: Uint8Array, border: number): number {
  const lineEnd = bytes.subarray(border, border + slack).indexOf(lineFeed);
  if (lineEnd >= 0) return border + lineEnd + 1;
  let cut = border;
  while (cut < bytes.length && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut += 1;
  return cut;
}

const lineFeed = 10;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
