import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextWith, runTool, testToolContract } from '@loom/providers/testing';
import type { PlainObject } from '@loom/blocks';
import { todo } from './todo.ts';

const items = [
  { content: 'Read', status: 'completed' },
  { content: 'Write', status: 'in_progress' },
];

testToolContract('todo', () => todo, { samples: [{ items }, { items: [] }], isHarmless: true });

const run = (parameters: PlainObject) =>
  runTool(
    todo,
    { id: 'c', name: 'todo', parameters, arguments: JSON.stringify(parameters) },
    contextWith(new AbortController().signal),
  );

test('[AG3] the list is a block, beside a count for the model', async () => {
  assert.deepEqual(await run({ items }), {
    content: [
      { type: 'text', text: '1 of 2 completed.' },
      { type: 'todo', items },
    ],
  });
});

test('[AG3] a list of another shape changes nothing', async () => {
  for (const wrong of [{}, { items: 'Read' }, { items: [{ content: 'Read', status: 'done' }] }]) {
    const { content, is_error: isError } = await run(wrong);
    assert.equal(isError, true);
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text'],
    );
  }
});
