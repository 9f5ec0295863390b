import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountedTexts } from './counted-texts.ts';
import { findTokenizer } from './index.ts';

test('[PV53] a text is counted once, as long as not too many others come in between', async () => {
  const counted: string[] = [];
  const texts = new CountedTexts((text) => counted.push(text) && text.length, 10);
  for (const text of ['aaaa', 'bbbb', 'aaaa', 'cccc', 'aaaa', 'bbbb', 'dddd', 'eeee', 'aaaa']) {
    assert.equal(texts.count(text), 4);
  }
  // The third text exceeded the limit, but the first two were requested again; the same happened after the fifth.
  assert.deepEqual(counted, ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee']);
  for (const text of ['ffff', 'gggg', 'hhhh', 'iiii', 'jjjj', 'kkkk']) texts.count(text);
  texts.count('aaaa');
  assert.equal(counted.at(-1), 'aaaa');
  assert.equal(await findTokenizer('openai', 'gpt-5.5'), await findTokenizer('openai', 'gpt-5'));
});
