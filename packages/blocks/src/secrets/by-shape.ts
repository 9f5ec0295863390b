import { secretRules } from './secret-rules.ts';

/** A secret in a text. */
export interface FoundSecret {
  /** The kind of secret, for people: `GitHub token`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** All shapes in one pattern, for those that replace what they find. */
export const secretShapes = new RegExp(`\\b(?:${secretRules.map(({ pattern }) => pattern).join('|')})`, 'g');

const ruleShapes = secretRules.map(({ pattern }) => new RegExp(`^(?:${pattern})$`, 'u'));

/** Finds what has the shape of a key or token of a well-known service. */
export function* byShape(text: string): Generator<FoundSecret> {
  for (const { 0: value, index: start } of text.matchAll(secretShapes)) {
    const rule = secretRules[ruleShapes.findIndex((shape) => shape.test(value))];
    if (rule === undefined || (rule.isLoose === true && !isRandom(value)) || isFilledIn(value)) continue;
    yield { kind: rule.kind, start, end: start + value.length };
  }
}

/** Returns true if a value holds a run that no one would write: long, of letters and digits in no order. */
export function isRandom(value: string): boolean {
  if (!/[A-Za-z]/u.test(value)) return false;
  for (const [run] of value.matchAll(/[A-Za-z0-9+]{14,}/gu)) {
    if (/\d/u.test(run)) {
      if (/[A-Za-z]/u.test(run) && !/^\d{6,}[A-Za-z]{0,3}$/u.test(run) && bitsOf(run) >= 2) return true;
    } else if (run.length >= 20 && casesIn(run) > 0.42 * run.length) return true;
  }
  return false;
}

/** The number of places where small letters follow capital ones, or the other way around. Names have two in each word. */
function casesIn(run: string): number {
  let count = 0;
  for (let at = 1; at < run.length; at += 1)
    if (/[a-z]/u.test(run[at] ?? '') !== /[a-z]/u.test(run[at - 1] ?? '')) count += 1;
  return count;
}

/** The mean information of a character, in bits: of random letters and digits, 3.4 in 16 of them, 4.5 in 40. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Returns true if a shape was filled in by hand: one sign again and again, the alphabet, or a row of digits. */
export function isFilledIn(value: string): boolean {
  return /([A-Za-z0-9*.])\1{5}|x{4}|0{5}|abcdefghij|(?:0?123456789){1}|EXAMPLE/iu.test(value);
}
