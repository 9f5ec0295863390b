import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeAddress } from './safe-address.ts';

test('[WB3] only pages and letters are linked', () => {
  for (const address of ['https://example.org/a?b#c', 'HTTP://example.org', 'mailto:a@example.org']) {
    assert.equal(safeAddress(address), address);
  }
  for (const address of [
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    ' \u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.org',
    '/r/root',
    'https://',
    '',
  ]) {
    assert.equal(safeAddress(address), undefined, address);
  }
});
