import { showControls } from '../chat/drawing/column.ts';
import { clustersOf, displayWidth } from '../chat/drawing/display-width.ts';
import { wrapWords } from '../chat/drawing/word-wrap.ts';

/** A prompt, the line typed behind it, and the cursor as an offset into that line. */
export interface PromptContent {
  prompt: string;
  line: string;
  cursor: number;
}

/** The rows that a prompt takes on a screen, and the cell of its cursor. */
export interface PromptLayout {
  rows: readonly string[];
  cursor: { row: number; column: number };
}

/**
 * Breaks a prompt between words, and the line behind it wherever a row is full. The last column stays free: a terminal that has
 * written there may or may not have gone on to the next row.
 */
export function layOutPrompt({ prompt, line, cursor }: PromptContent, columns: number): PromptLayout {
  const width = Math.max(1, columns - 1);
  const question = showControls(prompt).replaceAll('\n', ' ');
  const words = question.trimEnd();
  const rows = wrapWords(words, width).flatMap((row) => breakAnywhere(row, width));
  const filling = new Filling(rows, width);
  for (const space of question.slice(words.length)) filling.add(space);
  let offset = 0;
  let place: PromptLayout['cursor'] | undefined;
  for (const cluster of clustersOf(line)) {
    filling.add(cluster === '\t' ? tab : showControls(cluster));
    offset += cluster.length;
    if (cursor < offset) place ??= filling.lastPlace;
  }
  return { rows: filling.rows, cursor: place ?? filling.end };
}

/** The rows that a row takes where only so many columns are left for it. */
export function breakAnywhere(row: string, columns: number): string[] {
  const filling = new Filling([''], columns);
  for (const cluster of clustersOf(row)) filling.add(cluster);
  return filling.rows;
}

/** Returns the row in which a column stands once a row is broken; the end of a row is in the last one. */
export function rowOfColumn(row: string, column: number, columns: number): number {
  const filling = new Filling([''], columns);
  let at = 0;
  for (const cluster of clustersOf(row)) {
    filling.add(cluster);
    if (at >= column) return filling.lastPlace.row;
    at += displayWidth(cluster);
  }
  return filling.end.row;
}

/** A tab in a line is shown at the same width wherever it stands. */
const tab = '    ';

/** Rows that are filled from left to right. */
class Filling {
  readonly rows: string[];
  readonly #width: number;
  #column: number;
  /** The cell of the last addition. */
  lastPlace: { row: number; column: number };

  constructor(rows: readonly string[], width: number) {
    this.rows = [...rows];
    this.#width = width;
    this.#column = displayWidth(rows.at(-1) ?? '');
    this.lastPlace = this.end;
  }

  get end(): { row: number; column: number } {
    return { row: this.rows.length - 1, column: this.#column };
  }

  add(text: string): void {
    const width = displayWidth(text);
    if (this.#column > 0 && this.#column + width > this.#width) {
      this.rows.push('');
      this.#column = 0;
    }
    this.lastPlace = this.end;
    this.rows[this.rows.length - 1] += text;
    this.#column += width;
  }
}
