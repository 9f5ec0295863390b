import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNameOf, nameOfText } from './drafts.ts';

test('[WB640] a draft without a title is named by its first words, and its file by its name', () => {
  assert.equal(nameOfText('\n\n## Plan for the fix\nfirst'), 'Plan for the fix');
  assert.equal(nameOfText(' \n---\n'), 'Untitled draft');
  assert.equal(nameOfText(''), 'Untitled draft');
  assert.equal(fileNameOf('Plan: for the “fix”'), 'plan-for-the-fix.md');
  assert.equal(fileNameOf('../../etc/passwd'), 'etc-passwd.md');
  assert.equal(fileNameOf('notes.txt'), 'notes.txt');
  assert.equal(fileNameOf('…'), 'draft.md');
});
