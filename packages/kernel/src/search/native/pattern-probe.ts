import type { Effort } from './pattern-effort.ts';

/** Part of a pattern as it is written for JavaScript's engine. */
export interface PatternPiece extends Effort {
  source: string;
  /** True if it may match nothing: the engines repeat such parts differently. */
  isNullable: boolean;
  /** The one character that it stands for. */
  literal?: string;
  /** The content of a group that is not repeated, one sequence for each alternative. */
  alternatives?: readonly PatternSequence[];
}

export type PatternSequence = readonly PatternPiece[];

/**
 * An expression that occurs in exactly those lines in which a pattern, or one alternative of it, matches, and is found
 * faster.
 */
export interface PatternProbe {
  source: string;
  /** Texts with one of which it begins, as characters; none if it may begin otherwise. */
  leads: readonly (readonly string[])[];
}

/**
 * Makes the probe of a sequence. The engine looks fast for a text, and slowly for a pattern that begins with something
 * common. So a text from the middle of the pattern is looked for first, and then the part that has to be before it,
 * backwards. That finds other places than the pattern, but a line has one of them if and only if it has a match: nothing
 * matches across lines.
 */
export function probeOf(sequence: PatternSequence): PatternProbe {
  const pieces = sequence.flatMap(piecesOf);
  const leads = leadsOf(pieces);
  const { from, to } = longestText(pieces);
  const shortest = Math.min(...leads.map((lead) => lead.length));
  if (to - from < minText || (leads.length > 0 && to - from <= shortest)) return { source: sourceOf(sequence), leads };
  const [before, text, after] = [pieces.slice(0, from), pieces.slice(from, to), pieces.slice(to)].map(sourceOf);
  return { source: `${text}(?<=${before}${text})${after}`, leads: leadsOf(pieces.slice(from)) };
}

/** Unwraps groups without alternatives: they mean no more than their content. */
function piecesOf(piece: PatternPiece): PatternSequence {
  const [only, ...others] = piece.alternatives ?? [];
  return only === undefined || others.length > 0 ? [piece] : only.flatMap(piecesOf);
}

function leadsOf(pieces: PatternSequence): string[][] {
  const end = pieces.findIndex(({ literal }) => literal === undefined);
  const lead = pieces.slice(0, end === -1 ? pieces.length : end).flatMap(({ literal }) => literal ?? []);
  if (lead.length > 0) return [lead];
  const alternatives = pieces[0]?.alternatives?.map((inner) => leadsOf(inner.flatMap(piecesOf))) ?? [];
  return alternatives.every((leads) => leads.length > 0) ? alternatives.flat() : [];
}

function longestText(pieces: PatternSequence): { from: number; to: number } {
  let longest = { from: 0, to: 0 };
  let from = 0;
  for (const [index, { literal }] of pieces.entries()) {
    if (literal === undefined) from = index + 1;
    else if (index + 1 - from > longest.to - longest.from) longest = { from, to: index + 1 };
  }
  return longest;
}

function sourceOf(pieces: PatternSequence): string {
  return pieces.map(({ source }) => source).join('');
}

/** A single character is often everywhere. */
const minText = 2;
