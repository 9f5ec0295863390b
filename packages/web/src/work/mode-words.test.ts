import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayWords, modeAbout } from './mode-words.ts';
import { folderName } from './paths.ts';

const codex = {
  title: 'Codex',
  modes: [{ name: 'ask', about: 'only reads, because it cannot ask' }, { name: 'edit' }],
};

test('[WB681] a mode is described in the words of the agent that answers next, as far as it has some', () => {
  assert.equal(modeAbout('ask', codex), 'Only reads, because it cannot ask.');
  assert.equal(mayWords('ask', true, codex), 'only reads, because it cannot ask');
  assert.equal(
    mayWords('ask', true, { title: 'Claude', modes: [{ name: 'ask', about: 'Asks first.' }] }),
    'asks first',
  );
  assert.equal(modeAbout('edit', codex), modeAbout('edit'));
  assert.equal(mayWords('edit', true, codex), mayWords('edit', true));
  assert.match(modeAbout('ask'), /^Reads freely/u);
});

test('[WB680] without a folder the line says what happens: models only talk, an agent gets an empty one', () => {
  assert.equal(mayWords('ask', false), 'no folder: models only talk here');
  assert.equal(mayWords('ask', false, codex), 'no folder: Codex gets an empty one for this conversation');
});

test('[WB680] the folder that Loom has made for one conversation is shown as a scratch folder', () => {
  assert.equal(folderName('/home/me/.local/share/loom/scratch/root-01k'), 'scratch folder');
  assert.equal(folderName('/home/me/code/loom/scratch'), 'scratch');
});
