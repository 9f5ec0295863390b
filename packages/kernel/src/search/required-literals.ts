import type { RE2JS } from 're2js';
import { z } from 'zod';
import { foldCase } from './case-folding.ts';

/**
 * The texts that a line must contain to match: of each clause at least one of its texts. No clause means that nothing is
 * known.
 */
export type RequiredLiterals = readonly (readonly string[])[];

/**
 * Reads from a compiled pattern which texts every match contains. `re2js` works that out when it compiles, for its own
 * filter, but keeps it as an undocumented field; if that ever looks otherwise, nothing is required and searches are only slower.
 */
export function requiredLiterals(pattern: RE2JS): RequiredLiterals {
  const parsed = prefilter.safeParse(pattern.re2().prefilter);
  return parsed.success ? clausesOf(parsed.data).slice(0, maxClauses) : [];
}

/**
 * Returns the literals of a pattern that ignores case, from its case-sensitive twin: texts required there are required here,
 * folded.
 */
export function foldedLiterals(literals: RequiredLiterals): RequiredLiterals {
  return literals.map((clause) => clause.map(foldCase));
}

interface Prefilter {
  type: number;
  str: string;
  subs: Prefilter[];
}

const prefilter: z.ZodType<Prefilter> = z.object({
  type: z.number(),
  str: z.string(),
  get subs() {
    return z.array(prefilter);
  },
});

function clausesOf(node: Prefilter): string[][] {
  switch (node.type) {
    case exact:
      // Any part of a required text is required too; a short needle is always found in linear time.
      return node.str === '' ? [] : [[node.str.slice(0, maxNeedle)]];
    case all:
      return node.subs.flatMap(clausesOf).sort((a, b) => shortest(b) - shortest(a));
    case any: {
      const best = node.subs.map((sub) => clausesOf(sub)[0]);
      const texts = best.flatMap((clause) => clause ?? []);
      return best.includes(undefined) || texts.length > maxAlternatives ? [] : [texts];
    }
    default:
      return [];
  }
}

/** Returns a measure of what a clause rules out: its shortest text decides. */
function shortest(clause: readonly string[]): number {
  return Math.min(...clause.map((text) => text.length));
}

const exact = 1;
const all = 2;
const any = 3;

const maxClauses = 4;
const maxAlternatives = 16;
const maxNeedle = 32;
