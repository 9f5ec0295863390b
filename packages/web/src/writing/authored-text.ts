import { diffWords } from '../words/word-diff.ts';

/** A text as an agent has left it. */
export interface AuthoredVersion {
  readonly agent: string;
  readonly text: string;
}

/** A piece of the newest text, and who wrote it. */
export interface AuthoredPiece {
  readonly agent: string;
  readonly text: string;
}

/** Attributes the newest of several versions: each word belongs to the agent in whose version it first stood. */
export function authoredText(versions: readonly AuthoredVersion[]): AuthoredPiece[] {
  let [before, authors]: [string, readonly string[]] = ['', []];
  for (const { agent, text } of versions) {
    const { left, right } = diffWords(before, text);
    let at = 0;
    const kept: string[] = [];
    for (const piece of left) {
      if (piece.isSame) kept.push(...authors.slice(at, at + piece.text.length));
      at += piece.text.length;
    }
    let taken = 0;
    authors = right.flatMap((piece) => {
      if (!piece.isSame) return Array.from({ length: piece.text.length }, () => agent);
      taken += piece.text.length;
      return kept.slice(taken - piece.text.length, taken);
    });
    before = text;
  }
  return piecesOf(before, authors);
}

function piecesOf(text: string, authors: readonly string[]): AuthoredPiece[] {
  const pieces: AuthoredPiece[] = [];
  let begin = 0;
  for (let at = 1; at <= text.length; at += 1) {
    if (at < text.length && authors[at] === authors[begin]) continue;
    pieces.push({ agent: authors[begin] ?? '', text: text.slice(begin, at) });
    begin = at;
  }
  return pieces;
}

/** Returns each agent's share of a text, in percent, the largest first. */
export function authorShares(pieces: readonly AuthoredPiece[]): { agent: string; percent: number }[] {
  const lengths = new Map<string, number>();
  for (const { agent, text } of pieces) lengths.set(agent, (lengths.get(agent) ?? 0) + text.length);
  const whole = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  return [...lengths]
    .map(([agent, length]) => ({ agent, percent: Math.round((100 * length) / whole) }))
    .sort((one, other) => other.percent - one.percent);
}
