import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blobReferences } from './blob-references.ts';

const id = (digit: string): string => `sha256:${digit.repeat(64)}`;

test('[LO31] the blobs of ops and blocks are found wherever they are cited, apart from names that only stand in words', () => {
  const ops = [
    { type: 'block-added', block: { type: 'image', blob: id('1') } },
    { type: 'command', stdout: { blob: id('2'), bytes: 1, preview: `docker pull x@${id('3')}` } },
    { changes: [{ path: 'a.ts', before: id('4'), after: id('5') }] },
    { text: `see ${id('6')}`, metadata: { whole: { blob: id('7') } }, before: id('8') },
    { blob: 'sha256:short', other: [{ blob: `${id('9')}0` }] },
  ];
  const { cited, mentioned } = blobReferences(ops);
  assert.deepEqual([...cited].sort(), ['1', '2', '4', '5', '7'].map(id));
  assert.deepEqual([...mentioned].sort(), ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(id));
  for (const value of [undefined, null, 'text', [], { blob: 5 }]) assert.equal(blobReferences(value).mentioned.size, 0);
});
