import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceText } from '@loom/blocks';
import { inParts } from './edit-parts.ts';

test('[SY161] an edit too long for a frame goes in parts that make the same text and cut no character', () => {
  const before = 'Tides, and more tides';
  const long = '😀'.repeat(100_001);
  const splices = [
    { at: 0, delete: 5, insert: 'Ebb' },
    { at: 7, delete: 3, insert: `x${long}` },
    { at: 12, delete: 0, insert: 'y'.repeat(65_536) },
    { at: 20, delete: 1, insert: '' },
  ];
  const parts = inParts(splices);
  assert.ok(parts.length > 4);
  assert.ok(parts.every((part) => part.reduce((sum, { insert }) => sum + insert.length, 0) <= 65_536));
  assert.ok(parts.flat().every(({ insert }) => insert.isWellFormed()));
  assert.equal(parts.reduce(spliceText, before), spliceText(before, splices));
});
