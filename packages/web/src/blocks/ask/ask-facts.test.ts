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
    'shield: Runs in work, in a sandbox without network.',
    'message: It goes on in the background.',
  ]);
  assert.deepEqual(facts('Runs in /work without a sandbox, with all your rights.'), [
    'warning: Runs in work without a sandbox, with all your rights.',
  ]);
  const plain = askFacts([{ type: 'command', command: 'curl example.org' }], '/work');
  assert.deepEqual(
    plain.map(({ text }) => text),
    ['work', 'uses the network'],
  );
});

test('[WB268] the folder of a command is told from the home folder, with the full path behind it; a longer path that begins like it is not touched', () => {
  const fact = (text: string) =>
    askFacts(
      [
        { type: 'command', command: 'ls' },
        { type: 'text', text },
      ],
      '/home/ada/code/tides',
      '/home/ada',
    ).at(-1);
  assert.deepEqual(fact('Runs in /home/ada/code/tides, in a sandbox.'), {
    icon: 'shield',
    text: 'Runs in ~/code/tides, in a sandbox.',
    path: '/home/ada/code/tides',
  });
  assert.equal(
    fact('Runs in /home/ada/code/tides-2, in a sandbox.')?.text,
    'Runs in /home/ada/code/tides-2, in a sandbox.',
  );
});
