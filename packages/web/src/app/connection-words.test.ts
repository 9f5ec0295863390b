import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awayWords, backWords } from './connection-words.ts';

test('[WB55] a short absence of the server is not spoken of; a longer one is, with its beginning', () => {
  const since = new Date(2026, 10, 17, 10, 41).getTime();
  assert.equal(awayWords(since, since + 1900), undefined);
  assert.equal(awayWords(since, since + 2000), 'Reconnecting. You can keep reading and writing.');
  assert.match(awayWords(since, since + 60_000) ?? '', /^Offline since 10:41 AM\. /u);
  const long = since + 60_000;
  assert.equal(
    awayWords(since, long, 3),
    'Offline since 10:41 AM. 3 edits are kept on this computer and will be merged.',
  );
  assert.equal(
    awayWords(since, long, 1),
    'Offline since 10:41 AM. 1 edit is kept on this computer and will be merged.',
  );
});

test('[WB55] that the server is back is told only if its absence was', () => {
  assert.equal(backWords(0, 1000), undefined);
  assert.equal(backWords(0, 5000), 'Connected again. Nothing was lost.');
  assert.equal(backWords(0, 5000, 3), 'Connected again. 3 edits merged, nothing was lost.');
});
