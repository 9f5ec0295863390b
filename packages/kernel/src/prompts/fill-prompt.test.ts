import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fillPrompt } from './fill-prompt.ts';

test('[PR22] arguments take their places: all of them, single ones and named ones', () => {
  assert.deepEqual(fillPrompt('Review $ARGUMENTS now.', '  src/a.ts "and b" '), {
    text: 'Review src/a.ts "and b" now.',
    missing: [],
  });
  assert.deepEqual(fillPrompt('From $1 to $2, $1!', 'here "over there"'), {
    text: 'From here to over there, here!',
    missing: [],
  });
  assert.deepEqual(fillPrompt('Port $FILE: $ARGUMENTS', 'it\'s FILE="a b.ts" urgent'), {
    text: "Port a b.ts: it's urgent",
    missing: [],
  });
  assert.equal(fillPrompt('Say $1.', '$2 x').text, 'Say $2.\n\nx', 'an argument is not filled in turn');
});

test('[PR22] a place without an argument stays and is named; prices and variables of scripts are none', () => {
  assert.deepEqual(fillPrompt('$1, $2 and $FILE for $15 or $1.50 in $HOME', 'a', 'FILE=path'), {
    text: 'a, $2 and $FILE for $15 or $1.50 in $HOME',
    missing: ['$2', '$FILE'],
  });
  assert.deepEqual(fillPrompt('$$1 is literal, $$FILE too, $$ stays', ''), {
    text: '$1 is literal, $FILE too, $$ stays',
    missing: [],
  });
});

test('[PR22] words without a place are added below, so that none is lost', () => {
  assert.equal(fillPrompt('Be brief.\n', 'what is "a b"?').text, 'Be brief.\n\nwhat is "a b"?');
  assert.equal(fillPrompt('Explain $1.', 'this and that').text, 'Explain this.\n\nand that');
  assert.equal(fillPrompt('Be brief.', ' ').text, 'Be brief.');
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,8}$/u)),
      fc.constantFrom('', '$1', '$2 $1', '$ARGUMENTS', '$NAME'),
      (words, text) => {
        const filled = fillPrompt(text, words.join(' ')).text;
        for (const word of words) assert.ok(filled.includes(word), JSON.stringify({ words, text, filled }));
      },
    ),
  );
});
