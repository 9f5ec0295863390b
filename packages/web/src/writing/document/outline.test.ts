import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { countWords, headingsOf, WordCounter } from './outline.ts';

test('[WB646] the outline has the headings of a text, but none in code', () => {
  const text =
    '# Tides 0.10 ##\n\n```md\n# not one\n```\n\n   ## Changed\n#no\n~~~\n## nor this\n~~~ no end\n~~~\n###### Six\r\n';
  assert.deepEqual(
    headingsOf(text).map(({ words, level, at }) => [words, level, text.slice(at).split('\n')[0]?.trim()]),
    [
      ['Tides 0.10', 1, '# Tides 0.10 ##'],
      ['Changed', 2, '## Changed'],
      ['Six', 6, '###### Six'],
    ],
  );
});

test('[WB646] words are runs of letters and digits in any script', () => {
  assert.equal(countWords('The station’s page opens in 0.4 s, re-read - twice.'), 9);
  assert.equal(countWords('مرحبا بالعالم'), 2);
  assert.equal(countWords(' — … '), 0);
});

test('[WB735] the words of a text that changes are those of the whole text, however it changes', () => {
  const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '7', ' ', '\n', '’', '-', '😀'), maxLength: 30 });
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 6 }), fc.nat(30), (texts, place) => {
      const counter = new WordCounter();
      let text = '';
      for (const next of texts) {
        // Sometimes all of it, sometimes a piece in its middle.
        text = next.length > 20 ? next : text.slice(0, place) + next + text.slice(place + 3);
        assert.equal(counter.count(text), countWords(text), JSON.stringify(text));
      }
    }),
  );
});
