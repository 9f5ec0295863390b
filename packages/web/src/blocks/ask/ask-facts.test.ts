import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askFacts } from './ask-facts.ts';

test('[WB233] a command says where it runs in the words of its tool, else by its folder and its program', () => {
  const facts = (text: string): string[] =>
    askFacts(
      [
        { type: 'command', command: 'curl example.org' },
        { type: 'text', text },
      ],
      '/work',
    ).map((fact) => `${fact.icon}: ${fact.text}`);
  assert.deepEqual(facts('Runs in /work, in a sandbox without network.\nIt goes on in the background.'), [
    'shield: Runs in /work, in a sandbox without network.',
    'message: It goes on in the background.',
  ]);
  assert.deepEqual(facts('Runs in /work without a sandbox, with all your rights.'), [
    'warning: Runs in /work without a sandbox, with all your rights.',
  ]);
  const plain = askFacts([{ type: 'command', command: 'curl example.org' }], '/work');
  assert.deepEqual(
    plain.map(({ text }) => text),
    ['/work', 'uses the network'],
  );
});
