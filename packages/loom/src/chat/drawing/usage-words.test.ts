import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTokens, remarksOnAnswer } from './usage-words.ts';

test('[CH37] what calls took is told with what came from the cache, and that it is an estimate', () => {
  assert.equal(describeTokens([]), undefined);
  assert.equal(describeTokens([{ input_tokens: 12, output_tokens: 3 }]), '12 tokens in, 3 out');
  const cached = { input_tokens: 100, output_tokens: 3, cached_input_tokens: 60, cache_write_tokens: 30 };
  assert.equal(describeTokens([cached]), '100 tokens in (60 from the cache, 30 kept in it), 3 out');
  const cut = { input_tokens: 10, output_tokens: 4, estimated: true };
  assert.equal(describeTokens([cached, cut]), 'about 110 tokens in (60 from the cache, 30 kept in it), 7 out');
});

test('[CH37] what a model was not shown is counted by its reason; notes that say something else are no remarks', () => {
  const note = {
    left_out: [
      { what: 'thinking', why: 'Another model wrote it.', count: 2 },
      { what: 'file', why: 'The model takes no PDF.' },
      { what: 'thinking', why: 'Another model wrote it.' },
      { what: 'setting', why: 'o3 does not take the setting temperature, so it was left out.' },
      'odd',
    ],
    cache_miss: 'The system prompt has changed.',
    session: 's',
  };
  assert.deepEqual(remarksOnAnswer({ note }), [
    'The model was not shown 3 thoughts. Another model wrote it.',
    'The model was not shown 1 file. The model takes no PDF.',
    'o3 does not take the setting temperature, so it was left out.',
    'Nothing came from the cache: The system prompt has changed.',
  ]);
  assert.deepEqual(remarksOnAnswer({ note: { left_out: 'x', cache_miss: 3 } }), []);
  assert.deepEqual(remarksOnAnswer({}), []);
});
