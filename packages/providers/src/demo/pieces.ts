/**
 * Cuts a text into pieces of the given lengths, over and over again. The cuts are awkward on purpose: inside words and fences, between `\r` and `\n`,
 * between an emoji and its modifier; a line break always begins a piece. Only a surrogate pair stays whole, so a piece may be one longer than
 * requested.
 */
export function cutIntoPieces(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const piece = text.slice(at, at + (lengths[pieces.length % lengths.length] ?? 1));
    const lineBreak = piece.indexOf('\n', 1);
    const end = keepPair(text, at + (lineBreak === -1 ? piece.length : lineBreak));
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Returns the same place, or the next one if a surrogate pair would be cut. */
export function keepPair(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1)) ? at + 1 : at;
}
