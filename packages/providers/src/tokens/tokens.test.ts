import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTokenizer } from './index.ts';

test("[MO5] OpenAI's tokenizers count the texts of its models; for others there is none", async () => {
  const [today, before] = [await findTokenizer('openai', 'gpt-5'), await findTokenizer('openai', 'gpt-4-turbo')];
  assert.equal(today?.count('The quick brown fox jumps over the lazy dog.'), 10);
  // 多 is one token in both, but the newer encoding knows more of such words.
  assert.ok((today?.count('多言語のテキスト') ?? 0) < (before?.count('多言語のテキスト') ?? 0));
  assert.equal(today?.count(''), 0);
  // Special tokens of the model count as plain text.
  assert.ok((today?.count('<|endoftext|>') ?? 0) > 1);
  assert.equal(await findTokenizer('anthropic', 'claude-sonnet-5'), undefined);
});

test('[MO5] a long text is counted in time in proportion to its length, and no character is cut', async () => {
  const tokenizer = await findTokenizer('openai', 'gpt-5');
  assert.equal(tokenizer?.count('a'.repeat(200_000)), 25_000);
  // The time grows with the square of a run, so it is cut every thousand characters: uncut, this run has fewer tokens.
  assert.equal(tokenizer?.count('='.repeat(5000)), 5 * (tokenizer?.count('='.repeat(1000)) ?? 0));
  const faces = '😀'.repeat(3000);
  const rate = (tokenizer?.count(faces) ?? 0) / (tokenizer?.count('😀'.repeat(500)) ?? 1);
  assert.ok(Math.abs(rate - 6) < 0.1, `${rate}`);
});
