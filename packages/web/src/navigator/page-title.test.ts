import test from 'node:test';
import assert from 'node:assert/strict';
import { pageTitle } from './page-title.ts';

test('[WB111] the title of the page tells how much waits', () => {
  assert.equal(pageTitle(0, undefined), 'Loom');
  assert.equal(pageTitle(2, undefined), '(2) Loom');
  assert.equal(pageTitle(2, 'Tides'), '(2) Tides · Loom');
});
