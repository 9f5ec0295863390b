import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInPages } from './find-in-pages.ts';
import type { FoundPlace } from './find-in-pages.ts';
import { bytesOfPages, countPages, textsOfPages } from './output-pages.ts';

const whole = new TextEncoder().encode(Array.from({ length: 900_000 }, (_, index) => `line ${index}`).join('\n'));
const { length: bytes } = whole;

function find(words: string, after: FoundPlace, reads: number[] = []): Promise<FoundPlace | undefined> {
  const read = async (start: number, end: number): Promise<Uint8Array> => {
    reads.push(end - start);
    return whole.subarray(start, end);
  };
  return findInPages(words, after, { bytes, read, signal: new AbortController().signal, onProgress: () => {} });
}

const textAt = ({ page, at }: FoundPlace): string => {
  const { start, end } = bytesOfPages(page, 1, bytes);
  return (textsOfPages(whole.subarray(start, end), page, 1, bytes)[0] ?? '').slice(at, at + 12);
};

test('[WB211] words are found in all of an output, in pieces that memory can hold, and again from its beginning', async () => {
  assert.ok(countPages(bytes) > 80);
  const reads: number[] = [];
  const first = await find('LINE 777777', { page: 0, at: -1 }, reads);
  assert.ok(first !== undefined);
  assert.equal(textAt(first).split('\n')[0], 'line 777777');
  assert.ok(Math.max(...reads) < 3_000_000);
  // There is no other, so that it is found again.
  assert.deepEqual(await find('line 777777', first), first);
  const next = await find('line 12', { page: 0, at: -1 });
  const after = next && (await find('line 12', next));
  assert.ok(next !== undefined && after !== undefined && textAt(after).startsWith('line 12'));
  assert.notDeepEqual(after, next);
  assert.equal(await find('line 900000', { page: 5, at: 0 }), undefined);
});
