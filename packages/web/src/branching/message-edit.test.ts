import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editChoices, firstChoice, textsWith } from './message-edit.ts';

test('[WB50] a message that others follow can be edited in place or on a new branch; a last one is saved', () => {
  assert.deepEqual(editChoices({ role: 'user' }, false), ['in-place', 'branch', 'branch-and-run']);
  assert.deepEqual(editChoices({ role: 'assistant' }, false), ['in-place', 'branch']);
  assert.deepEqual(editChoices({ role: 'user' }, true), ['save', 'save-and-run']);
  assert.deepEqual(editChoices({ role: 'assistant' }, true), ['save']);
});

test('[WB50] for a message of a person running it on a new branch is chosen at first, else a new branch', () => {
  assert.equal(firstChoice(editChoices({ role: 'user' }, false)), 'branch-and-run');
  assert.equal(firstChoice(editChoices({ role: 'assistant' }, false)), 'branch');
  assert.equal(firstChoice(editChoices({ role: 'user' }, true)), 'save');
});

test('[WB51] of a message with several texts only the edited one changes', () => {
  const blocks = [
    { type: 'text' as const, text: 'one', block_id: 'b1' },
    { type: 'thinking' as const, text: 'hm', block_id: 'b2' },
    { type: 'text' as const, text: 'two', block_id: 'b3' },
  ];
  assert.deepEqual(textsWith({ blocks }, 'b3', 'TWO'), ['one', 'TWO']);
});
