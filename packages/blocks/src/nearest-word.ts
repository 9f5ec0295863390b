/** The candidate that a mistyped word most likely meant, if any is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceBetween(word.toLowerCase(), candidate.toLowerCase());
    const isNear = distance <= limit || (word.length >= 2 && candidate.startsWith(word));
    if (isNear && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Counts the insertions, deletions, replacements and swaps of neighbors that lead from one word to the other. */
function distanceBetween(left: string, right: string): number {
  // The tables below grow with both words; nothing this long is a typing mistake.
  if (left.length > 64 || right.length > 64) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const steps = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      ];
      current.push(Math.min(...steps));
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? Infinity;
}
