import test from 'node:test';
import assert from 'node:assert/strict';
import { completed, suggestionsFor } from './suggestions.ts';

const known = { hasConversation: true, agents: ['demo'] };

test('[WB109] filters are offered by name, their values once a name was typed; Tab completes what is plain', () => {
  assert.deepEqual(
    suggestionsFor('tide', known).map(({ label }) => label),
    ['kind:', 'agent:', 'path:', 'after:', 'before:', 'error:true', 'in:this conversation', '/regex/'],
  );
  assert.equal(suggestionsFor('tide', known)[0]?.text, 'tide kind:');
  assert.deepEqual(suggestionsFor('tide agent:', known), [
    { label: 'me', text: 'tide agent:me ' },
    { label: 'demo', text: 'tide agent:demo ' },
  ]);
  assert.deepEqual(
    suggestionsFor('kind:th', known).map(({ text }) => text),
    ['kind:thinking '],
  );
  assert.equal(
    suggestionsFor('', { ...known, hasConversation: false }).some(({ label }) => label.startsWith('in:')),
    false,
  );
  assert.equal(completed('tide ki', known), 'tide kind:');
  assert.equal(completed('tide kind:th', known), 'tide kind:thinking ');
  assert.equal(completed('kind:', known), undefined);
  assert.equal(completed('e', known), 'error:true ');
  assert.equal(completed('tide', known), undefined);
  assert.equal(completed('tide ', known), undefined);
});
