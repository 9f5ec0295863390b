/** Text that comes in pieces, as whole lines. */
export class LineBuffer {
  #rest = '';

  /** Takes some more text; returns the lines that are complete by now. */
  take(text: string): string[] {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }

  /** The line that has no end. */
  flush(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}
