/** The characters that are kept of the beginning and of the end. */
const most = 8_000;

/** The beginning and the end of an output that may be longer than memory. */
export class OutputEnds {
  #head = '';
  #tail = '';
  #length = 0;

  push(text: string): void {
    this.#length += text.length;
    const room = most - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    // Long pieces are not joined to what they push out.
    if (text.length - room >= most) this.#tail = text.slice(-most);
    else if (text.length > room) this.#tail = (this.#tail + text.slice(room)).slice(-most);
  }

  /** Returns the output with its middle left out, ending with a line break unless it is empty. */
  text(): string {
    const left = this.#length - this.#head.length - this.#tail.length;
    const gap = left === 0 ? '' : `\n[… ${left} characters left out …]\n`;
    const text = `${this.#head}${gap}${this.#tail}`;
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  }
}
