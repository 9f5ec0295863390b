import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answererNote } from './answerer-note.ts';

test('[WB300] the first page says who answers, and asks to choose a model only where none was chosen', () => {
  const [demo, sonnet] = [
    { name: 'demo', provider: 'demo' },
    { name: 'claude-sonnet-5', provider: 'anthropic' },
  ];
  const [nothing, some] = [{ names: [] }, { names: ['demo'] }];
  assert.match(answererNote([demo], nothing, { isUsualSet: false }), /until you choose a model/u);
  assert.equal(answererNote([demo], some, { isUsualSet: false }), 'demo answers.');
  assert.equal(answererNote([demo], nothing, { isUsualSet: true }), 'demo answers.');
  assert.equal(answererNote([sonnet], nothing, { isUsualSet: false }), 'claude-sonnet-5 answers.');
  assert.match(answererNote([], nothing, { isUsualSet: true }), /messages are kept/u);
});
