import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextWith, runTool, testToolContract } from '@loom/providers/testing';
import type { PlainObject } from '@loom/blocks';
import { ask } from './ask.ts';

const choices = [{ label: 'red', detail: 'like a rose' }, { label: 'blue' }];
const both = { questions: [{ text: 'Which color?', choices, several: true }, { text: 'And why?' }] };

testToolContract('ask', () => ask, { samples: [both, { questions: [{ text: 'Why?' }] }], isHarmless: true });

const call = (parameters: PlainObject) => ({ id: 'c', name: 'ask', parameters, arguments: JSON.stringify(parameters) });
const context = () => contextWith(new AbortController().signal);

test('[AG2] all questions are put at once, and their answers come back in order', async () => {
  const { permission, questions } = await ask.prepare(call(both), context());
  assert.deepEqual([permission, questions], ['question', both.questions]);
  const answers = [{ chosen: ['red', 'blue'] }, { text: 'They fit.' }];
  const { content } = await runTool(ask, call(both), { ...context(), answers });
  assert.deepEqual(content, [{ type: 'text', text: 'Which color?\n  red, blue\nAnd why?\n  They fit.' }]);
});

test('[AG2] choices of one label are one choice, and a label alone is a choice', async () => {
  const parameters = { questions: [{ text: 'Which?', choices: ['a', { label: 'a' }, 'b', ' '] }] };
  const { questions } = await ask.prepare(call(parameters), context());
  assert.deepEqual(questions, [{ text: 'Which?', choices: [{ label: 'a' }, { label: 'b' }] }]);
  const { content } = await runTool(ask, call(parameters), { ...context(), answers: [{ chosen: ['b'] }] });
  assert.deepEqual(content, [{ type: 'text', text: 'b' }]);
});

test('[AG2] a call without a question is denied with what to write', async () => {
  for (const parameters of [{}, { questions: [] }, { questions: [{ text: ' ' }] }]) {
    const { permission, preview } = await ask.prepare(call(parameters), context());
    assert.equal(permission, 'deny');
    assert.match(JSON.stringify(preview), /"questions\\"/u);
  }
});
