/** The content shown for a match: its line between context lines. Matches are asked for in the order of the text. */
export class MatchContent {
  readonly #text: string;
  readonly #contextLines: number;
  /** Context of the line asked for last: many matches may share it. */
  #context: { from: number; before: string[]; after: string[] } = { from: -1, before: [], after: [] };

  constructor(text: string, contextLines: number) {
    this.#text = text;
    this.#contextLines = contextLines;
  }

  /** For a line from an offset to another, without its line ending, and the columns of a match in it. */
  around(from: number, to: number, start: number, end: number): string {
    if (this.#context.from !== from) {
      this.#context = { from, before: this.#linesBefore(from), after: this.#linesAfter(to) };
    }
    const line = clip(this.#text.slice(from, to), start, end);
    return [...this.#context.before, line, ...this.#context.after].join('\n');
  }

  #linesBefore(from: number): string[] {
    const lines: string[] = [];
    for (let next = from; next > 0 && lines.length < this.#contextLines;) {
      const start = next < 2 ? 0 : this.#text.lastIndexOf('\n', next - 2) + 1;
      lines.push(clip(withoutEnding(this.#text.slice(start, next)), 0, 0));
      next = start;
    }
    return lines.reverse();
  }

  #linesAfter(to: number): string[] {
    const lines: string[] = [];
    let newline = this.#text.indexOf('\n', to);
    while (newline !== -1 && newline + 1 < this.#text.length && lines.length < this.#contextLines) {
      const start = newline + 1;
      newline = this.#text.indexOf('\n', start);
      const end = newline === -1 ? this.#text.length : newline + 1;
      lines.push(clip(withoutEnding(this.#text.slice(start, end)), 0, 0));
    }
    return lines;
  }
}

function withoutEnding(line: string): string {
  if (!line.endsWith('\n')) return line;
  return line.endsWith('\r\n') ? line.slice(0, -2) : line.slice(0, -1);
}

/**
 * Returns the part of a very long line around the match: a file of one line would otherwise be returned whole with each
 * match.
 */
function clip(line: string, start: number, end: number): string {
  if (line.length <= maxLine) return line;
  const room = Math.max(maxLine - (end - start), 0);
  const from = Math.max(0, Math.min(start - Math.floor(room / 2), line.length - maxLine));
  const to = from + maxLine;
  return (
    (from > 0 ? '…' : '') + line.slice(outsidePair(line, from), outsidePair(line, to)) + (to < line.length ? '…' : '')
  );
}

/** The offset, or the one behind it where it would cut a surrogate pair. */
function outsidePair(line: string, offset: number): number {
  return offset > 0 && (line.codePointAt(offset - 1) ?? 0) > 0xffff ? offset + 1 : offset;
}

const maxLine = 2_000;
