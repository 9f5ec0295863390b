import test from 'node:test';
import assert from 'node:assert/strict';
import { readTags } from './conversation-actions.ts';

test('[WB103] tags are words between commas, each once', () => {
  assert.deepEqual(readTags(' tides,  time   zones ,, tides'), ['tides', 'time zones']);
  assert.deepEqual(readTags(' , '), []);
});
