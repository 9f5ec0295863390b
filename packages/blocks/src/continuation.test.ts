import assert from 'node:assert/strict';
import { test } from 'node:test';
import { continuationIn, continuationWords, continuedWords, waysToContinue } from './continuation.ts';

test('[CI31] the way in which an agent goes on with a branch is worded, with what it does not get', () => {
  for (const how of waysToContinue) assert.match(continuationWords('Codex', { how }), /^Codex [a-z].+\.$/u);
  const loses = ['pictures', 'thinking', 'files'];
  assert.equal(
    continuedWords({ how: 'text', loses }),
    'was given the branch as text, without pictures, thinking and files',
  );
  assert.equal(
    continuationWords('Codex', { how: 'text', loses: ['pictures'] }),
    'Codex gets this branch as text, without pictures.',
  );
});

test('[CI31] the note of a turn is read as far as it says something about the branch', () => {
  assert.deepEqual(continuationIn({ continued: { how: 'text', loses: ['pictures', 1] } }), {
    how: 'text',
    loses: ['pictures'],
  });
  assert.deepEqual(continuationIn({ continued: { how: 'fork' } }), { how: 'fork' });
  for (const note of [undefined, {}, { continued: 'kept' }, { continued: { how: 'new' } }, { continued: { how: 'x' } }])
    assert.equal(continuationIn(note), undefined);
});
