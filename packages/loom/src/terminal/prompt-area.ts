import { breakAnywhere, layOutPrompt, rowOfColumn, type PromptContent, type PromptLayout } from './prompt-layout.ts';

/** The rows at the bottom of a screen in which a prompt and the line behind it are drawn, again after every key. */
export interface PromptArea {
  /** Draws the content in place of the former one. */
  draw: (content: PromptContent) => void;
  /** Removes the drawing; the cursor is where it began. */
  erase: () => void;
  /** Keeps the drawing and puts the cursor on the line below it. */
  leave: () => void;
  /** Leaves the drawing alone: another program has written below it, and the cursor is there. */
  forget: () => void;
}

/** The screen that is written to. Its size changes with the window, and may be unknown. */
export interface ScreenOutput {
  write: (text: string) => unknown;
  columns?: number | undefined;
  rows?: number | undefined;
}

/** Draws with escape sequences. Never touches the rows above the area: rows are counted, by the width they were drawn for. */
export class DrawnPromptArea implements PromptArea {
  readonly #output: ScreenOutput;
  #content: PromptContent | undefined;
  #drawn: PromptLayout | undefined;
  /** The width of the screen when the area was drawn. */
  #columns = 0;
  /** Rows were left out because the screen is too low for them. */
  #isCut = false;

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  draw(content: PromptContent): void {
    this.#content = content;
    this.#drawRows(this.#output.rows || Infinity);
  }

  erase(): void {
    if (this.#drawn !== undefined) this.#output.write(`${this.#toTop()}${clearDown}`);
    this.#drawn = undefined;
  }

  leave(): void {
    if (this.#isCut) this.#drawRows(Infinity);
    if (this.#drawn === undefined) return;
    const { rows, cursor } = this.#drawn;
    this.#output.write(`${down(rows.length - 1 - cursor.row)}\r\n`);
    this.#drawn = undefined;
  }

  forget(): void {
    this.#drawn = undefined;
  }

  #drawRows(height: number): void {
    if (this.#content === undefined) return;
    const columns = this.#output.columns || 80;
    const whole = layOutPrompt(this.#content, columns);
    const layout = cutToHeight(whole, height);
    const before = this.#drawn !== undefined && this.#columns === columns ? this.#drawn.rows : [];
    const same = layout.rows.findIndex((row, index) => row !== before[index]);
    // The last row is written again if none differs, so that the cursor has a row to be set from.
    const first = Math.min(same === -1 ? layout.rows.length - 1 : same, Math.max(0, before.length - 1));
    const rows = layout.rows.slice(first).map((row) => `${row}${clearRow}`);
    const { row, column } = layout.cursor;
    const back = `${up(layout.rows.length - 1 - row)}\r${right(column)}`;
    // A terminal that takes a character for wider than it is counted here must not begin another row for it.
    this.#output.write(
      `${this.#toTop()}${down(first)}${wrapping.off}${rows.join('\r\n')}${clearDown}${wrapping.on}${back}`,
    );
    this.#drawn = layout;
    this.#columns = columns;
    this.#isCut = layout !== whole;
  }

  /** Moves the cursor to the first cell of the area. */
  #toTop(): string {
    if (this.#drawn === undefined) return '\r';
    const { rows, cursor } = this.#drawn;
    const columns = this.#output.columns || 80;
    if (columns === this.#columns) return `\r${up(cursor.row)}`;
    // The window was resized, and its terminal has broken rows that no longer fit.
    const inRow = rowOfColumn(rows[cursor.row] ?? '', cursor.column, columns);
    const above = rows.slice(0, cursor.row).map((row) => breakAnywhere(row, columns).length);
    return `\r${up(above.reduce((sum, count) => sum + count, inRow))}`;
  }
}

/** Draws on terminals that cannot take anything back: new text is written behind the present one, else everything on another line. */
export class PlainPromptArea implements PromptArea {
  readonly #output: ScreenOutput;
  #drawn: string | undefined;

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  draw({ prompt, line }: PromptContent): void {
    const text = prompt + line;
    const drawn = this.#drawn ?? '';
    this.#output.write(text.startsWith(drawn) ? text.slice(drawn.length) : `\n${text}`);
    this.#drawn = text;
  }

  erase(): void {
    if ((this.#drawn ?? '') !== '') this.#output.write('\n');
    this.#drawn = undefined;
  }

  leave(): void {
    if (this.#drawn !== undefined) this.#output.write('\n');
    this.#drawn = undefined;
  }

  forget(): void {
    this.#drawn = undefined;
  }
}

/** The rows around the cursor, as many as a screen has. */
function cutToHeight(layout: PromptLayout, height: number): PromptLayout {
  const { rows, cursor } = layout;
  if (rows.length <= height) return layout;
  const first = Math.max(0, cursor.row - height + 1);
  return { rows: rows.slice(first, first + height), cursor: { ...cursor, row: cursor.row - first } };
}

const escape = '\u001B[';
const clearRow = `${escape}K`;
const clearDown = `${escape}J`;
const wrapping = { off: `${escape}?7l`, on: `${escape}?7h` };
const up = (count: number): string => (count > 0 ? `${escape}${count}A` : '');
const down = (count: number): string => (count > 0 ? `${escape}${count}B` : '');
const right = (count: number): string => (count > 0 ? `${escape}${count}C` : '');
