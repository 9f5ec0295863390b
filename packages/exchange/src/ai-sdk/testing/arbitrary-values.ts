import * as fc from 'fast-check';
import { isJsonObject, isJsonValue } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ProviderOptions } from '../model-message.ts';

/** JSON without -0, which JSON itself cannot hold. */
export const jsonValues: fc.Arbitrary<JsonValue> = fc
  .json({ maxDepth: 2 })
  .map((text): unknown => JSON.parse(text))
  .filter(isJsonValue);

export const jsonObjects: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ maxLength: 6 }), jsonValues, { maxKeys: 3 })
  .filter(isJsonObject);

/** Text as it survives the door: no lone surrogates, no NUL. */
export const texts: fc.Arbitrary<string> = fc
  .oneof(
    fc.constantFrom('', ' ', '\n', 'hello', '{"a":1}', '[1]', 'null'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  )
  .filter((text) => !text.includes('\0'));

/** Text with something in it that a reader sees. */
export const spokenTexts: fc.Arbitrary<string> = texts.filter((text) => text.trim() !== '');

export const names: fc.Arbitrary<string> = fc.constantFrom('search', 'run_shell', 'read-file', 'a');

/** Never empty: empty provider metadata counts as none. */
export const providerMetadata: fc.Arbitrary<ProviderOptions> = fc.dictionary(
  fc.constantFrom('anthropic', 'openai', 'google'),
  fc.oneof(jsonObjects, fc.constant({ signature: 'c2lnbmF0dXJl', redacted: null })),
  { minKeys: 1, maxKeys: 2 },
);

export const urls: fc.Arbitrary<string> = fc.constantFrom(
  'https://example.org/a.png',
  'https://example.org/b.pdf?x=1',
  'data:image/png;base64,iVBORw0KGgo=',
);

export const mediaTypes: fc.Arbitrary<string> = fc.constantFrom('image/png', 'image/*', 'image', 'application/pdf');

export const references = fc.constantFrom({ openai: 'file-1' }, { anthropic: 'file_a', google: 'files/b' });
