import type { TextSplice } from '@loom/blocks';

/** The length up to which a text is cut as a whole, and the length of the pieces of a longer one, in UTF-16 units. */
const longestPiece = 4096;
const pieceLength = 2048;

/**
 * A long text in pieces, with a window over the one that was edited last. JavaScript copies a whole text to cut something out of
 * it; here only a piece is cut, and those around it are put together again without being copied.
 */
export class TextWindow {
  #pieces: string[];
  #text: string;
  /** The piece in the window, its start, and the texts before and behind it. */
  #index = 0;
  #start = 0;
  #before = '';
  #behind = '';

  constructor(text: string) {
    this.#text = text;
    this.#pieces = cutText(text);
    this.#move(0, 0);
  }

  get text(): string {
    return this.#text;
  }

  /** Part of the text. */
  slice(from: number, to: number): string {
    let { index, start } = this.#pieceAt(from);
    let slice = '';
    for (; start < to; index += 1) {
      const piece = this.#pieces[index];
      if (piece === undefined) break;
      slice += piece.slice(Math.max(0, from - start), to - start);
      start += piece.length;
    }
    return copyText(slice);
  }

  /** Changes the text; the offsets refer to the text before. */
  splice(splices: readonly TextSplice[]): void {
    for (const splice of splices.length > 1 ? lastFirst(splices) : splices) this.#replace(splice);
    this.#text = this.#before + (this.#pieces[this.#index] ?? '') + this.#behind;
  }

  #replace({ at, delete: count, insert }: TextSplice): void {
    const { index, start } = this.#pieceAt(at);
    const end = at + count;
    let behind = index;
    let next = start;
    do next += this.#pieces[behind++]?.length ?? 0;
    while (next < end && behind < this.#pieces.length);
    const [first = '', last = ''] = [this.#pieces[index], this.#pieces[behind - 1]];
    const changed = first.slice(0, at - start) + insert + last.slice(last.length - (next - end));
    if (behind === index + 1 && changed.length <= longestPiece) {
      this.#pieces[index] = changed;
      if (index !== this.#index) this.#move(index, start);
    } else {
      this.#pieces = this.#pieces.slice(0, index).concat(cutText(changed), this.#pieces.slice(behind));
      this.#move(index, start);
    }
  }

  /** The piece that a place is in or at the end of; the one in the window if it is. */
  #pieceAt(offset: number): { index: number; start: number } {
    const open = this.#pieces[this.#index] ?? '';
    if (offset >= this.#start && offset <= this.#start + open.length) return { index: this.#index, start: this.#start };
    let start = 0;
    let index = 0;
    for (const last = this.#pieces.length - 1; index < last; index += 1) {
      const end = start + (this.#pieces[index]?.length ?? 0);
      if (end >= offset) break;
      start = end;
    }
    return { index, start };
  }

  #move(index: number, start: number): void {
    this.#index = index;
    this.#start = start;
    [this.#before, this.#behind] = ['', ''];
    for (let place = 0; place < index; place += 1) this.#before += this.#pieces[place] ?? '';
    for (let place = index + 1; place < this.#pieces.length; place += 1) this.#behind += this.#pieces[place] ?? '';
  }
}

/** At least one piece. */
function cutText(text: string): string[] {
  if (text.length <= longestPiece) return [text];
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += pieceLength) pieces.push(text.slice(start, start + pieceLength));
  return pieces;
}

/** Returns one splice for each place, the last place first, so that none of them moves another one. */
function lastFirst(splices: readonly TextSplice[]): TextSplice[] {
  const byPlace = Map.groupBy(splices, ({ at }) => at);
  return [...byPlace]
    .sort(([one], [other]) => other - one)
    .map(([at, group]) => ({
      at,
      delete: Math.max(...group.map(({ delete: count }) => count)),
      insert: group.map(({ insert }) => insert).join(''),
    }));
}

/** Copies a text: a slice that JavaScript cuts out of a text keeps the whole of it in memory. */
function copyText(text: string): string {
  return ` ${text}`.slice(1);
}
