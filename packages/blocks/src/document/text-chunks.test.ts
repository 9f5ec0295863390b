import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceText } from '../text/text-splice.ts';
import { SeededRandom } from './testing/seeded-random.ts';
import { TextChunks } from './text-chunks.ts';

const pieces = ['a', 'bc', '\n', 'é', '€', '😀', '👩‍👩‍👧', 'x'.repeat(500), '😀'.repeat(300), '€'.repeat(700)] as const;

test('[DO7] a text in chunks is the text, whatever is spliced', () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const random = new SeededRandom(seed);
    let plain = randomText(random, random.below(8));
    const chunks = new TextChunks(plain);
    for (let step = 0; step < 60; step += 1) {
      const [at, end] = [randomPlace(random, plain), randomPlace(random, plain)].sort((a, b) => a - b);
      assert.ok(at !== undefined && end !== undefined);
      const isShort = random.chance(80);
      const stop = isShort ? Math.min(end, nextPlace(plain, at + random.below(4))) : end;
      const splice = {
        at,
        delete: stop - at,
        insert: random.chance(70) ? randomText(random, 1 + random.below(3)) : '',
      };
      chunks.splice(splice);
      plain = spliceText(plain, [splice]);
      assert.equal(chunks.length, plain.length, `seed ${seed}, step ${step}`);
      checkChunks(chunks, plain);
    }
    assert.equal(chunks.text, plain);
  }
});

test('[DO7] every byte offset is the offset of a character, or none, as the bytes say', () => {
  for (let seed = 0; seed < 120; seed += 1) {
    const random = new SeededRandom(seed);
    // Some in more than one chunk.
    const text = randomText(random, random.below(12)).slice(0, 3000).toWellFormed();
    const chunks = new TextChunks(text);
    const bytes = Buffer.from(text);
    const offsets = new Map<number, number>([[0, 0]]);
    let [byte, offset] = [0, 0];
    for (const character of text) {
      byte += Buffer.byteLength(character);
      offset += character.length;
      offsets.set(byte, offset);
    }
    for (let at = -2; at <= bytes.length + 2; at += 1) {
      if (chunks.offsetOfByte(at) !== offsets.get(at)) assert.fail(`seed ${seed}, byte ${at}`);
    }
    const between = new Set(offsets.values());
    for (let at = 0; at <= text.length; at += 1) {
      if (chunks.isInsidePair(at) === between.has(at)) assert.fail(`seed ${seed}, offset ${at}`);
    }
  }
});

test('[DO7] no chunk begins or ends inside a surrogate pair, around the lengths at which a text is cut', () => {
  for (const length of [1022, 1023, 1024, 1025, 2046, 2047, 2048, 2049, 3072]) {
    for (const tail of ['', '😀', 'x😀', '😀😀😀']) {
      const text = `${'a'.repeat(length)}${tail}`;
      const grown = new TextChunks('');
      for (const character of text) grown.splice({ at: grown.length, delete: 0, insert: character });
      const inserted = new TextChunks('a'.repeat(length));
      inserted.splice({ at: length, delete: 0, insert: tail });
      const shifted = new TextChunks(`${'a'.repeat(length - 1)}${tail}`);
      shifted.splice({ at: 0, delete: 0, insert: 'a' });
      for (const chunks of [new TextChunks(text), grown, inserted, shifted]) {
        assert.equal(chunks.text, text);
        checkChunks(chunks, text);
        for (let at = Math.max(0, length - 2); at <= text.length; at += 1) {
          assert.equal(chunks.isInsidePair(at), !text.slice(0, at).isWellFormed(), `${length}, ${at}`);
        }
      }
    }
  }
});

test('[DO7] a text may have more chunks than a call takes arguments', () => {
  const chunks = new TextChunks('ab');
  const long = 'x'.repeat(66 * 1024 * 1024);
  chunks.splice({ at: 1, delete: 0, insert: long });
  assert.equal(chunks.length, long.length + 2);
  assert.ok(chunks.text.endsWith('xb'));
});

function checkChunks(chunks: TextChunks, plain: string): void {
  let start = 0;
  for (let index = 0; chunks.chunk(index) !== undefined; index += 1) {
    const chunk = chunks.chunk(index);
    assert.ok(chunk !== undefined && chunk.text !== '');
    assert.equal(chunk.text.isWellFormed(), true);
    assert.equal(chunk.bytes, Buffer.byteLength(chunk.text));
    assert.ok(chunk.text.length <= 2048);
    assert.deepEqual(chunks.chunkAt(start), { index, start });
    assert.deepEqual(chunks.chunkAt(start + chunk.text.length - 1), { index, start });
    assert.equal(plain.slice(start, start + chunk.text.length), chunk.text);
    start += chunk.text.length;
  }
  assert.equal(start, plain.length);
}

function randomText(random: SeededRandom, count: number): string {
  return Array.from({ length: count }, () => random.pick(pieces)).join('');
}

function randomPlace(random: SeededRandom, text: string): number {
  return nextPlace(text, random.below(text.length + 1));
}

function nextPlace(text: string, at: number): number {
  return text.slice(0, at).isWellFormed() ? Math.min(at, text.length) : at + 1;
}
