import type { TextSplice } from '../text/text-splice.ts';
import { isHigh, isLow, utf8Length } from '../text/utf8.ts';

/** The id of a character. */
export interface CharacterId {
  readonly client: number;
  readonly clock: number;
}

/** Part of a text, with the id of its first character if that is known. */
export interface Chunk {
  text: string;
  bytes: number;
  anchor: CharacterId | undefined;
  /** The place that was looked up last, in UTF-16 and in bytes: the next one is mostly near. */
  mark: { readonly offset: number; readonly byte: number };
}

const chunkStart = { offset: 0, byte: 0 };

/** A chunk's index and start. */
export interface PlacedChunk {
  readonly index: number;
  readonly start: number;
}

/** A chunk above this length is cut. Half of it is a good compromise between looking for a chunk and looking into one. */
const maxLength = 1024;

/**
 * A text in short pieces, so that an edit touches one of them and a place is found without going through the whole text, be it
 * by UTF-16 or by UTF-8 offset. A chunk never begins or ends inside a surrogate pair.
 */
export class TextChunks {
  readonly #chunks: Chunk[] = [];
  #length = 0;

  constructor(text: string) {
    this.#chunks = cutText(text);
    this.#length = text.length;
  }

  get length(): number {
    return this.#length;
  }

  get text(): string {
    return this.#chunks.map(({ text }) => text).join('');
  }

  chunk(index: number): Chunk | undefined {
    return this.#chunks[index];
  }

  /** The chunk that holds the character at a UTF-16 offset; at the end of the text, the last one. */
  chunkAt(offset: number): PlacedChunk {
    let start = 0;
    let index = 0;
    for (const last = this.#chunks.length - 1; index < last; index += 1) {
      const end = start + (this.#chunks[index]?.text.length ?? 0);
      if (end > offset) break;
      start = end;
    }
    return { index, start };
  }

  /** The UTF-16 offset of a UTF-8 offset, or `undefined` if that is outside the text or inside a code point. */
  offsetOfByte(byte: number): number | undefined {
    if (byte < 0) return undefined;
    let before = 0;
    let left = byte;
    for (const chunk of this.#chunks) {
      const { text, bytes } = chunk;
      if (left <= bytes) {
        const inside = bytes === text.length ? left : offsetInChunk(chunk, left);
        return inside === undefined ? undefined : before + inside;
      }
      left -= bytes;
      before += text.length;
    }
    return left === 0 ? before : undefined;
  }

  /** True if a UTF-16 offset is between the two halves of a surrogate pair. */
  isInsidePair(offset: number): boolean {
    if (offset <= 0 || offset >= this.#length) return false;
    const { index, start } = this.chunkAt(offset);
    const text = this.#chunks[index]?.text ?? '';
    return offset > start && isHigh(text.charCodeAt(offset - start - 1)) && isLow(text.charCodeAt(offset - start));
  }

  /**
   * Replaces part of the text. Inserted text joins the chunk of the character before it, so that the anchors of the others
   * hold; a chunk that loses its first character loses its anchor.
   */
  splice({ at, delete: count, insert }: TextSplice): void {
    if (count > 0) this.#delete(at, count);
    if (insert !== '') this.#insert(at, insert);
    this.#length += insert.length - count;
  }

  #insert(at: number, insert: string): void {
    const { index, start } = this.chunkAt(Math.max(0, at - 1));
    const chunk = this.#chunks[index];
    if (chunk === undefined) return this.#append(cutText(insert));
    if (at === start) chunk.anchor = undefined;
    forgetMark(chunk, at - start);
    chunk.text = chunk.text.slice(0, at - start) + insert + chunk.text.slice(at - start);
    chunk.bytes += utf8Length(insert);
    if (chunk.text.length <= maxLength) return;
    const pieces = cutText(chunk.text);
    if (pieces[0] !== undefined) pieces[0].anchor = chunk.anchor;
    const behind = this.#chunks.splice(index).slice(1);
    this.#append(pieces);
    this.#append(behind);
  }

  /** One by one: a call takes no more than about a hundred thousand arguments, and a text may have more chunks. */
  #append(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) this.#chunks.push(chunk);
  }

  #delete(at: number, count: number): void {
    const { index: first, start } = this.chunkAt(at);
    let from = at - start;
    let left = count;
    let index = first;
    let emptied = 0;
    let firstEmptied = -1;
    for (; left > 0; index += 1) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) throw new RangeError(`there are no ${count} characters at ${at}`);
      const removed = chunk.text.slice(from, from + left);
      forgetMark(chunk, from);
      chunk.text = chunk.text.slice(0, from) + chunk.text.slice(from + removed.length);
      chunk.bytes -= utf8Length(removed);
      if (from === 0) chunk.anchor = undefined;
      if (chunk.text === '') {
        if (emptied === 0) firstEmptied = index;
        emptied += 1;
      }
      left -= removed.length;
      from = 0;
    }
    if (emptied > 0) this.#chunks.splice(firstEmptied, emptied);
  }
}

function cutText(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + maxLength / 2;
    if (isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end))) end += 1;
    const piece = text.slice(start, end);
    chunks.push({ text: piece, bytes: utf8Length(piece), anchor: undefined, mark: chunkStart });
    start = end;
  }
  return chunks;
}

function offsetInChunk(chunk: Chunk, byte: number): number | undefined {
  const { text } = chunk;
  const from = chunk.mark.byte <= byte ? chunk.mark : chunkStart;
  let left = byte - from.byte;
  let { offset } = from;
  while (left > 0) {
    const code = text.charCodeAt(offset);
    const isPair = isHigh(code) && isLow(text.charCodeAt(offset + 1));
    left -= isPair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    offset += isPair ? 2 : 1;
  }
  if (left < 0) return undefined;
  chunk.mark = { offset, byte };
  return offset;
}

/** Forgets the mark of a chunk that changed at an offset: places behind it no longer hold. */
function forgetMark(chunk: Chunk, offset: number): void {
  if (offset < chunk.mark.offset) chunk.mark = chunkStart;
}
