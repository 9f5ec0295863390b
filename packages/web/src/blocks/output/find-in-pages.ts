import { bytesOfPages, countPages, pagesAtOnce, textsOfPages } from './output-pages.ts';

/** A place in a long output: the page, and where in its text the words begin. */
export interface FoundPlace {
  readonly page: number;
  readonly at: number;
}

interface FindOptions {
  readonly bytes: number;
  readonly read: (start: number, end: number) => Promise<Uint8Array>;
  readonly signal: AbortSignal;
  /** Receives the share searched so far, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Looks for words behind a place, to the end and then from the beginning; upper and lower case are one. */
export async function findInPages(
  words: string,
  after: FoundPlace,
  { bytes, read, signal, onProgress }: FindOptions,
): Promise<FoundPlace | undefined> {
  const wanted = words.toLowerCase();
  const pages = countPages(bytes);
  // The first page is looked through twice: behind the place, and at the very end before it.
  for (let done = 0; done <= pages;) {
    const first = (after.page + done) % pages;
    const count = Math.min(pagesAtOnce, pages - first, pages + 1 - done);
    const { start, end } = bytesOfPages(first, count, bytes);
    const texts = textsOfPages(await read(start, end), first, count, bytes);
    signal.throwIfAborted();
    for (const [index, text] of texts.entries()) {
      const isStart = done + index === 0;
      const at = text.toLowerCase().indexOf(wanted, isStart ? after.at + 1 : 0);
      if (at >= 0) return { page: first + index, at };
    }
    done += count;
    onProgress(Math.min(1, done / pages));
  }
  return undefined;
}
