import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { fileFailure } from '@loom/stores/disk';
import { tellNews } from './files-note.ts';

test('[FC45] files that cannot be written are told of once, and a full disk once for all of them', () => {
  const said: string[] = [];
  const tell = tellNews((text) => void said.push(text));
  const fail = (root: string, error: unknown): void => tell({ type: 'files', report: { type: 'failed', root, error } });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  fail('root-a', full);
  fail('root-a', full);
  fail('root-b', fileFailure(full, 'could not write a file'));
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /^The disk is full: .* Free some space\./u);
  const denied = new StoreError('store-denied', 'not allowed', 'Allow it.');
  fail('root-a', denied);
  fail('root-a', denied);
  fail('root-b', denied);
  assert.equal(said.length, 3);
  assert.match(said[2] ?? '', /^The files of root-b could not be written or read \(not allowed\)/u);
});
