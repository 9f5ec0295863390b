import test from 'node:test';
import assert from 'node:assert/strict';
import { excerptOf } from './excerpt.ts';

test('[WB106] a result shows its line around the match, also of lines that are too long to be sent whole', () => {
  const line = 'the window is 24 h, the local day has 25';
  assert.deepEqual(excerptOf({ content: line, match_start: 4, match_end: 18 }, 'window is 24 h'), {
    before: 'the ',
    match: 'window is 24 h',
    after: ', the local day has 25',
  });
  const far = `${'some words '.repeat(20)}needle end`;
  const at = far.indexOf('needle');
  const shown = excerptOf({ content: far, match_start: at, match_end: at + 6 }, 'needle');
  assert.equal(shown.match, 'needle');
  assert.match(shown.before, /^…(?:some|words) .*words $/u);
  const middle = { content: `…${'x'.repeat(997)}needle${'y'.repeat(997)}…`, match_start: 9000, match_end: 9006 };
  assert.equal(excerptOf(middle, 'needle').match, 'needle');
  const last = { content: `…${'x'.repeat(1990)}Needle end`, match_start: 9000, match_end: 9006 };
  assert.equal(excerptOf(last, 'needle').match, 'Needle');
  assert.equal(excerptOf({ ...last, match_end: 9003 }, 'e.e').match, '');
});
