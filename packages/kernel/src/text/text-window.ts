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

  slice(from: number, to: number): string {
    if (from === to) return '';
    const start = this.#before.length;
    return from >= start && to <= start + this.#middle.length
      ? this.#middle.slice(from - start, to - start)
      : this.text.slice(from, to);
  }

  /** Changes the text; the offsets refer to the text before. */
  splice(splices: readonly TextSplice[]): void {
    const [splice, ...others] = splices;
    if (splice === undefined) return;
    const { at, delete: count, insert } = splice;
    const from = at - this.#before.length;
    if (others.length > 0 || from < 0 || from + count > this.#middle.length || this.#middle.length > widest) {
      this.#open(spliceText(this.text, splices), at, at + insert.length);
      return;
    }
    this.#middle = this.#middle.slice(0, from) + insert + this.#middle.slice(from + count);
  }

  #open(text: string, from: number, to: number): void {
    this.#before = text.slice(0, Math.max(0, from - margin));
    this.#middle = text.slice(this.#before.length, to + margin);
    this.#behind = text.slice(this.#before.length + this.#middle.length);
  }
}
