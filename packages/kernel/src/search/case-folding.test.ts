import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { foldCase, foldUnit } from './case-folding.ts';
import { caseVariants } from './native/case-variants.ts';

/** Every character that has another one for its capital or small letter, in either engine's view. */
const cased = Array.from({ length: 0x20000 }, (_, code) => code).filter((code) => {
  if (code >= 0xd800 && code < 0xe000) return false;
  const character = String.fromCodePoint(code);
  return character.toLowerCase() !== character || character.toUpperCase() !== character;
});
const all = cased.map((code) => String.fromCodePoint(code)).join('');

test('[SE17] whatever re2js takes for the same letter folds to the same, and is known as its variant', () => {
  assert.ok(cased.length > 2_500, `${cased.length} letters`);
  for (const code of cased) {
    const matcher = RE2JS.compile(`\\x{${code.toString(16)}}`, RE2JS.CASE_INSENSITIVE).matcher(all);
    const same: number[] = [];
    while (matcher.find()) same.push(matcher.group()?.codePointAt(0) ?? -1);
    const character = String.fromCodePoint(code);
    for (const other of same) assert.equal(foldCase(String.fromCodePoint(other)), foldCase(character));
    const variants = caseVariants(code);
    if (variants !== undefined) assert.deepEqual(new Set(variants), new Set(same), character);
    else assert.ok(code > 0xffff, character);
  }
});

test('[SE17] folding keeps the length of every text, and what it cannot tell apart is only a candidate', () => {
  const text = 'Straße İSTANBUL ısı ΣΊΣΥΦΟΣ ſ K ﬁ ŉ 𐐀𐐨 😀';
  assert.equal(foldCase(text).length, text.length);
  assert.equal(foldCase('ΣΊΣΥΦΟΣ'), foldCase('σίσυφος'));
  assert.equal(foldCase('\u{10400}'), foldCase('\u{10428}'));
  assert.equal(foldCase('OVERCAST'), 'overcast');
  assert.equal(foldCase('ſK'), 'sk');
  // Alike when folded, yet another letter to a search.
  assert.equal(foldUnit(0x131), 0x69);
  assert.deepEqual(caseVariants(0x131), [0x131]);
  assert.deepEqual(caseVariants(0x6b), [0x4b, 0x6b, 0x212a]);
  const long = 'Ä'.repeat(20_000);
  assert.equal(foldCase(long), 'ä'.repeat(20_000).replaceAll('ä', foldCase('ä')));
});
