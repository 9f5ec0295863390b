import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { UsageError } from '../command-line/failure.ts';
import { formatKey, parseKeyText } from './key-text.ts';

test('[CF47] keys have dots between their parts; parts with dots or blanks are quoted; any spelling is taken', () => {
  assert.deepEqual(parseKeyText('defaults.model'), ['defaults', 'model']);
  assert.deepEqual(parseKeyText('presets."gpt-4.1".n'), ['presets', 'gpt-4.1', 'n']);
  assert.deepEqual(parseKeyText("presets.'a b'. max_tokens"), ['presets', 'a b', 'maxTokens']);
  assert.deepEqual(parseKeyText('Providers.OpenAI.api-key'), ['providers', 'OpenAI', 'apiKey']);
  assert.deepEqual(parseKeyText('bookmarks.root-1/node-2.title'), ['bookmarks', 'root-1/node-2', 'title']);
  assert.deepEqual(parseKeyText('presets.日本.n'), ['presets', '日本', 'n']);
});

test('[CF47] what is not a key is refused with an example', () => {
  for (const text of [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a b',
    'a."b',
    'a."b"c',
    "a.'b",
    'a[0]',
    'a=b',
    'a.__proto__.b',
    'constructor',
    'a."\\q"',
  ]) {
    assert.throws(
      () => parseKeyText(text),
      (error) =>
        error instanceof UsageError && error.code === 'bad-key' && /presets\."gpt-4\.1"/.test(error.advice ?? ''),
      text,
    );
  }
});

test('[CF47] a key that Loom prints is read back as the same key', () => {
  const part = fc
    .array(fc.constantFrom('a', '.', '"', "'", '\\', ' ', '\n', '=', '[', 'é', '日', '💡', '\u0000', '\u2028'))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      // Behind a name that users choose, spellings are left alone.
      const path = ['mcp_servers', 'x', 'env', ...parts];
      assert.deepEqual(parseKeyText(formatKey(path)), path);
    }),
  );
});
