import { spliceText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';

/** How far around an edit a window is opened, and how wide it may grow, in UTF-16 units. */
const margin = 512;
const widest = 4096;

/**
 * A long text with a window where it is edited. JavaScript copies a whole text to cut a piece out of it; with the window only a
 * short text is cut, and the parts around it are put together again without being copied.
 */
export class TextWindow {
  #before: string;
  #middle: string;
  #behind: string;

  constructor(text: string) {
    this.#before = text;
    this.#middle = '';
    this.#behind = '';
  }

  get text(): string {
    return this.#before + this.#middle + this.#behind;
  }

  /** Part of the text, if it is in the window. */
  slice(from: number, to: number): string | undefined {
    if (from === to) return '';
    const start = this.#before.length;
    const isInside = from >= start && to <= start + this.#middle.length;
    return isInside ? this.#middle.slice(from - start, to - start) : undefined;
  }

  /** Changes the text; the offsets refer to the text before. */
  splice(splices: readonly TextSplice[]): void {
    const [splice, ...others] = splices;
    if (splice === undefined) return;
    const { at, delete: count, insert } = splice;
    const from = at - this.#before.length;
    if (others.length > 0) {
      this.#open(spliceText(this.text, splices), at, 0, '');
      return;
    }
    if (from < 0 || from + count > this.#middle.length || this.#middle.length > widest) {
      this.#open(this.text, at, count, insert);
      return;
    }
    this.#middle = this.#middle.slice(0, from) + insert + this.#middle.slice(from + count);
  }

  /** Cuts the text where it is edited: the one time that it is copied. */
  #open(text: string, at: number, count: number, insert: string): void {
    const start = Math.max(0, at - margin);
    const end = at + count + margin;
    this.#before = text.slice(0, start);
    this.#middle = text.slice(start, at) + insert + text.slice(at + count, end);
    this.#behind = text.slice(end);
  }
}
