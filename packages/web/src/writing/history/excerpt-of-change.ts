import type { ChangedPiece } from '../../words/pieces-of-change.ts';

/** The characters that are shown around a change, and of one that is long. */
const [around, longest] = [24, 240];

/** Shortens a change to what differs and a few words around it. */
export function excerptOf(pieces: readonly ChangedPiece[]): ChangedPiece[] {
  return pieces.map(({ text, is }, index) => {
    if (is !== 'same') return { is, text: text.length <= longest ? text : `${head(text, longest)}…` };
    const [isFirst, isLast] = [index === 0, index === pieces.length - 1];
    if (text.length <= around * (isFirst || isLast ? 1 : 2)) return { text, is };
    if (isFirst) return { is, text: `…${tail(text, around)}` };
    return { is, text: isLast ? `${head(text, around)}…` : `${head(text, around)} … ${tail(text, around)}` };
  });
}

function head(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

function tail(text: string, length: number): string {
  return text.slice(-length).toWellFormed();
}
