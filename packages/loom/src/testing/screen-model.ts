/**
 * The parts of a terminal that a line editor uses: text that wraps at the edge, cursor movements, clearing, and a window that is resized,
 * on which rows that were wrapped are joined and broken anew. Unknown sequences are an error.
 */
export class ScreenModel {
  columns: number;
  readonly rows: number;
  #lines: Row[] = [newRow()];
  /** The first row that is on the screen; those before it have scrolled out. */
  #top = 0;
  #row = 0;
  #column = 0;
  #isWrapping = true;
  #unread = '';

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The whole text shown, also the part that has scrolled out, without the blanks at the ends of rows. */
  get text(): string[] {
    return this.#lines.map(({ cells }) => cells.join('').trimEnd());
  }

  /** The cursor: its row counted from the first that was ever shown. */
  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  write(text: string): void {
    let rest = this.#unread + text;
    this.#unread = '';
    while (rest !== '') {
      const sequence = rest.startsWith(escape) ? /^(\??)(\d*)([A-Za-z])/.exec(rest.slice(escape.length)) : null;
      if (sequence !== null) {
        const [all, mark = '', number = '', letter = ''] = sequence;
        this.#control(mark + letter, Number(number));
        rest = rest.slice(escape.length + all.length);
        continue;
      }
      if (rest.startsWith('\u001B') && rest.length < 8) {
        this.#unread = rest;
        return;
      }
      const [character = ''] = rest;
      this.#put(character);
      rest = rest.slice(character.length);
    }
  }

  resize(columns: number): void {
    const before = this.#lines;
    const at = { line: 0, cell: 0 };
    const whole: string[][] = [];
    for (const [index, { cells, isContinued }] of before.entries()) {
      const line = isContinued && whole.length > 0 ? (whole.at(-1) ?? []) : [];
      if (line.length === 0) whole.push(line);
      if (index === this.#row) [at.line, at.cell] = [whole.length - 1, line.length + this.#column];
      line.push(...cells);
    }
    this.columns = columns;
    this.#lines = [];
    for (const [index, cells] of whole.entries()) {
      const first = this.#lines.length;
      let row = newRow();
      this.#lines.push(row);
      for (const [cell, character] of cells.entries()) {
        const width = cells[cell + 1] === '' ? 2 : 1;
        if (character !== '' && row.cells.length + width > columns) {
          row = newRow(true);
          this.#lines.push(row);
        }
        if (index === at.line && cell === at.cell)
          [this.#row, this.#column] = [this.#lines.length - 1, row.cells.length];
        row.cells.push(character);
      }
      if (index !== at.line || at.cell < cells.length) continue;
      const beyond = row.cells.length + at.cell - cells.length;
      [this.#row, this.#column] = [Math.max(first, this.#lines.length - 1), Math.min(beyond, columns - 1)];
    }
    this.#top = Math.max(0, this.#lines.length - this.rows);
  }

  #control(name: string, number: number): void {
    const count = Math.max(1, number);
    const row = this.#lines[this.#row] ?? newRow();
    if (name === 'A') this.#row = Math.max(this.#top, this.#row - count);
    else if (name === 'B') this.#row = Math.min(this.#top + this.rows - 1, this.#row + count);
    else if (name === 'C') this.#column = Math.min(this.columns - 1, this.#column + count);
    else if (name === 'K') row.cells.length = Math.min(row.cells.length, this.#column);
    else if (name === 'J') {
      row.cells.length = Math.min(row.cells.length, this.#column);
      this.#lines.length = this.#row + 1;
    } else if (name === '?h' || name === '?l') {
      if (number === 7) this.#isWrapping = name === '?h';
      else if (number !== 2004) throw new Error(`the model knows no mode ${number}`);
    } else throw new Error(`the model knows no ${name}`);
    while (this.#lines.length <= this.#row) this.#lines.push(newRow());
  }

  #put(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') {
      // The terminal adds the carriage return, as it does for programs that print lines.
      this.#column = 0;
      this.#feed(false);
    } else if (/[\p{Mn}\u200D]/u.test(character)) this.#join(character);
    else this.#print(character);
  }

  #print(character: string): void {
    const width = /[\u1100-\u115F\u3000-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60\u{1F300}-\u{1FAFF}]/u.test(character) ? 2 : 1;
    if (this.#column + width > this.columns) {
      if (this.#isWrapping) {
        this.#column = 0;
        this.#feed(true);
      } else this.#column = this.columns - width;
    }
    const { cells } = this.#lines[this.#row] ?? newRow();
    while (cells.length < this.#column) cells.push(' ');
    cells.splice(this.#column, width, character, ...(width === 2 ? [''] : []));
    this.#column += width;
  }

  /** Adds a mark to the cell of the character it belongs to. */
  #join(mark: string): void {
    const { cells } = this.#lines[this.#row] ?? newRow();
    const at = cells[this.#column - 1] === '' ? this.#column - 2 : this.#column - 1;
    if (at >= 0) cells[at] += mark;
  }

  #feed(isContinued: boolean): void {
    this.#row += 1;
    const row = this.#lines[this.#row];
    if (row === undefined) this.#lines.push(newRow(isContinued));
    else row.isContinued = isContinued;
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }
}

const escape = '\u001B[';

/** One row; the right half of a wide character is an empty cell. */
interface Row {
  cells: string[];
  /** True if the row goes on where the edge broke the row above. */
  isContinued: boolean;
}

function newRow(isContinued = false): Row {
  return { cells: [], isContinued };
}
