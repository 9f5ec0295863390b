/** A piece of a text, and whether the other text has it, too. */
export interface Piece {
  readonly text: string;
  readonly isSame: boolean;
}

/** The product of the words on both sides above which texts are only compared at their ends: finding more would take too long. */
const mostWork = 4_000_000;

/** A word of a text, or what stands between words, and whether the other text has it, too. */
export interface AlignedWord {
  readonly text: string;
  readonly isSame: boolean;
}

/** Compares two texts word by word: the pieces they share, and those that differ. */
export function diffWords(left: string, right: string): { left: Piece[]; right: Piece[] } {
  const aligned = alignWords(left, right);
  return { left: pieces(aligned.left), right: pieces(aligned.right) };
}

/** Splits two texts into words and finds those that both have, in order. */
export function alignWords(left: string, right: string): { left: AlignedWord[]; right: AlignedWord[] } {
  const [one, other] = [wordsOf(left), wordsOf(right)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (
    end < one.length - start &&
    end < other.length - start &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  ) {
    end += 1;
  }
  const middle = shared(one.slice(start, one.length - end), other.slice(start, other.length - end));
  const align = (words: readonly string[], found: ReadonlySet<number>): AlignedWord[] =>
    words.map((text, index) => {
      const isAtEnds = index < start || index >= words.length - end;
      return { text, isSame: isAtEnds || found.has(index - start) };
    });
  return { left: align(one, middle.left), right: align(other, middle.right) };
}

/** Splits a text into words, the spaces between them, and single other characters. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The places of a longest common sequence. */
function shared(one: readonly string[], other: readonly string[]): { left: Set<number>; right: Set<number> } {
  const [left, right] = [new Set<number>(), new Set<number>()];
  const width = other.length + 1;
  if (one.length * other.length > mostWork) return { left, right };
  const lengths = new Uint32Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < one.length && column < other.length;) {
    if (one[row] === other[column]) {
      left.add(row);
      right.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return { left, right };
}

/**
 * Joins words into pieces. Words that follow each other are one piece if both sides have them, or one side alone. A lone space joins its
 * neighbors.
 */
function pieces(words: readonly AlignedWord[]): Piece[] {
  const found: { text: string; isSame: boolean }[] = [];
  const isSame = (index: number): boolean => words[index]?.isSame === true;
  for (const [index, { text }] of words.entries()) {
    const isSpace = text.trim() === '';
    const isBetween = isSpace && !isSame(index - 1) && index + 1 < words.length && !isSame(index + 1) && index > 0;
    const same = isSame(index) && !isBetween;
    const last = found.at(-1);
    if (last?.isSame === same) last.text += text;
    else found.push({ text, isSame: same });
  }
  return found;
}
