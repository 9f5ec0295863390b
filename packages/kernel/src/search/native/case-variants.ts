import { RE2JS } from 're2js';
import { foldedAlike } from '../case-folding.ts';

/**
 * The characters that equal a character without regard to case, itself among them, exactly as `re2js` has it; `undefined` where
 * that is not known.
 */
export function caseVariants(code: number): readonly number[] | undefined {
  if (code > 0xffff) {
    const character = String.fromCodePoint(code);
    const isCased = character.toLowerCase() !== character || character.toUpperCase() !== character;
    return isCased ? undefined : [code];
  }
  return foldedAlike(code).filter((other) => other === code || isSameLetter(code, other));
}

function isSameLetter(code: number, other: number): boolean {
  const pair = `${code} ${other}`;
  const known = sameLetters.get(pair);
  if (known !== undefined) return known;
  const isSame = RE2JS.compile(`\\x{${code.toString(16)}}`, RE2JS.CASE_INSENSITIVE).test(String.fromCharCode(other));
  sameLetters.set(pair, isSame);
  return isSame;
}

/** Letters come again with every query. */
const sameLetters = new Map<string, boolean>();
